"""Reads the SQL and Python that stands in README.md and docs/*.md, and runs it.

Blocks run in the order of the page, in one session. A comment that begins with --> says what the statement
before it returns, as psql writes it: one such line for each row, columns separated by " | ", and "…" for what
differs from run to run. "ERROR: " and a message say that it fails:

    select pgtq.cancel(1);      --> t

A query of tables and views only is asked again until it returns that, for some seconds: what it waits
for happens elsewhere.
"""

import re
import subprocess
import sys
from dataclasses import dataclass, field

import psycopg
from server import ROOT, eventually

FENCE = re.compile(r"^```(sql|python)\n(.*?)^```", re.S | re.M)
TOKEN = re.compile(r"""--[^\n]* | '(?:[^']|'')*' | "[^"]*" | (\$\w*\$).*?\1 | . """, re.S | re.X)
SECONDS = 20


@dataclass
class Statement:
    text: str
    rows: list = field(default_factory=list)    # what it is said to return

    def waits(self):
        return self.rows and self.text.startswith("select") and not re.search(r"pgtq\.\w+\(", self.text)


def pages():
    """Names of the pages that have code."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [str(f.relative_to(ROOT)) for f in files if FENCE.search(f.read_text())]


def blocks(page):
    """(language, code) of each block of a page."""
    return FENCE.findall((ROOT / page).read_text())


def statements(sql):
    """The statements of a block, with the rows that comments say they return."""
    found, text = [], ""
    for token in TOKEN.finditer(sql):
        word = token[0]
        if word.startswith("-->"):
            found[-1].rows.append(word[3:].strip())
        elif word.startswith("--"):
            continue
        elif word == ";":
            found.append(Statement(text.strip()))
            text = ""
        else:
            text += word
    assert not text.strip(), f"no semicolon after: {text}"
    return found


def sql_of(page):
    """All statements of a page."""
    return [s for language, code in blocks(page) if language == "sql" for s in statements(code)]


def result(cursor):
    """The rows of a result as psql would write them."""
    rows = cursor.pgresult
    return [" | ".join((rows.get_value(r, c) or b"").decode() for c in range(rows.nfields)).rstrip()
            for r in range(rows.ntuples)]


def is_as_said(rows, said):
    pattern = "\n".join(".*".join(map(re.escape, line.split("…"))) for line in said)
    return re.fullmatch(pattern, "\n".join(rows), re.S) is not None


def execute(conn, text):
    try:
        return result(conn.execute(text))
    except psycopg.Error as error:
        return [f"ERROR: {error.diag.message_primary}"]


def run_statement(conn, statement):
    """Runs it, and fails if it returns anything else than it is said to return."""
    rows = execute(conn, statement.text)
    if statement.waits() and not is_as_said(rows, statement.rows):
        def again():
            nonlocal rows
            rows = execute(conn, statement.text)
            return is_as_said(rows, statement.rows)
        try:
            eventually(again, SECONDS)
        except AssertionError:
            pass
    good = is_as_said(rows, statement.rows) if statement.rows else not rows or not rows[0].startswith("ERROR: ")
    assert good, "\n".join([statement.text, "--> " + "\n--> ".join(rows)])


def run_python(db, code):
    """As a user would run it: beside the examples, with the connection in the environment."""
    host, name, user = re.fullmatch(r"host=(.*) dbname=(.*) user=(.*)", db.conninfo()).groups()
    db.server.workspace.run(sys.executable, "-c", code, timeout=60, stderr=subprocess.STDOUT,
                            env={"PGHOST": host, "PGDATABASE": name, "PGUSER": user,
                                 "PYTHONPATH": str(db.server.build.src / "examples")})


def run_page(db, page, after=lambda statement: None):
    """Runs a page; the extension is there already. after() is called after each statement."""
    with db.connect() as conn:
        for language, code in blocks(page):
            if language == "python":
                run_python(db, code)
            else:
                for statement in statements(code):
                    if statement.text != "create extension pgtq":
                        run_statement(conn, statement)
                        after(statement)
