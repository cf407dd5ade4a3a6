"""What the README and the docs show works as it stands: every page, on both builds."""

import threading

import psycopg
import pytest
from pages import blocks, is_as_said, pages, run_page, statements
from server import ROOT, eventually

ALONE = {"docs/hosted.md"}      # read by those who have no workers; the others find them running


@pytest.fixture
def roles(server, preloaded):
    """Roles are of the whole server: what a page makes goes with it."""
    query = "select rolname from pg_roles where rolname !~ '^pgtq_'"
    before = {s: set(s.connect().execute(query).fetchall()) for s in (server, preloaded)}
    yield
    for s, names in before.items():
        with s.connect() as conn:
            for (name,) in set(conn.execute(query).fetchall()) - names:
                conn.execute(f'drop role "{name}"')


@pytest.fixture
def read(roles, server, preloaded, build):
    """Runs a page in a database like that of its readers: with workers, or a loop in the PL build."""
    made = []

    def run(page):
        workers = build == "c" and page not in ALONE
        db = (preloaded if workers else server).create_db(build=build)
        made.append(db)
        if workers:
            eventually(lambda: db.value("select running from pgtq.ticker_stats"))
            run_page(db, page)
        elif page in ALONE:
            run_page(db, page)
        else:
            threading.Thread(target=loop, args=(db,), daemon=True).start()
            run_page(db, page, after=lambda statement: is_ticked(db, statement))

    yield run
    for db in made:
        db.drop()


def is_ticked(db, statement):
    """A loop ticks a new queue at once, and then leaves it alone for a while. Before that, a batch might be empty."""
    if "create_queue" in statement.text:
        eventually(lambda: db.value("select bool_and(last_tick_id > 1) from pgtq.get_queue_info()"))


def loop(db):
    try:
        with db.connect() as conn:
            conn.execute("call pgtq.ticker_loop('1 hour', '40 ms')")
    except psycopg.OperationalError:        # the database is dropped
        pass


@pytest.mark.parametrize("page", pages())
def test_page(read, page):
    read(page)


def test_a_page_is_read_as_meant():
    sql = """
        select 'it''s; one', $x$two; three$x$;   -- a remark
        --> it's; one | …
        select 1;
    """
    first, second = statements(sql)
    assert first.text == "select 'it''s; one', $x$two; three$x$" and first.rows == ["it's; one | …"]
    assert second.text == "select 1" and not second.rows
    assert is_as_said(["it's; one | anything"], first.rows) and not is_as_said(["it's; two | "], first.rows)
    assert not is_as_said([], first.rows) and not is_as_said(["it's; one | a", "x"], ["it's; one | a"])


def test_code_is_fenced_so_that_it_is_found():
    """A fence of another form, say with spaces before it, would never be run."""
    for page in pages():
        text = (ROOT / page).read_text()
        fences = [line for line in text.splitlines() if line.strip().startswith("```") and line.strip() != "```"]
        assert {line for line in fences} <= {"```sql", "```python", "```text", "```sh", "```mermaid"}, page
        assert sum(line in ("```sql", "```python") for line in fences) == len(blocks(page)), page
