"""make docs: writes docs/reference.md from the SQL files.

    mk/reference.py [FILE]      FILE: write there instead

What is public is what structure/grants.ini gives to a role; what is said of it is what the file of the
function says: its signature, its comment, and the text at its head. So the page cannot say anything else
than the code, and a test fails if the committed page is not what this script writes.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGES = (("schedule", "Timers"), ("recur", "Again and again"), ("execute", "Running timers"), ("job", "Jobs"), ("queue", "Queues"), ("event", "Events"),
          ("consumer", "Consumers"), ("batch", "Batches"), ("retry", "Retries"), ("tick", "Ticks"),
          ("rotate", "Maintenance"), ("trigger", "Triggers"), ("info", "Looking"), ("clone", "Copies of a database"))
FUNCTION = re.compile(r"create or replace (function|procedure) pgtq\.(\w+)\((.*?)\)\n(.*?)(?=^create or replace |\Z)", re.S | re.M)
COMMENT = re.compile(r"comment on (?:function|procedure) pgtq\.\w+\s*\([^)]*\)\s+is\s*'((?:[^']|'')*)'", re.S)
VIEW = re.compile(r"create view pgtq\.(\w+)")


def grants():
    """{function name: roles}, {view name: roles} of what is public."""
    functions, views, kind, role = {}, {}, None, None
    for line in (ROOT / "structure/grants.ini").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            words = line.strip("[]").split()
            kind, role = words[0], words[-1]
        elif kind == "functions" and line and not line.startswith("_"):
            functions.setdefault(line.split("(")[0], []).append(role)
        elif kind == "tables" and line:
            views.setdefault(line, []).append(role)
    return functions, views


def functions(path):
    """(kind, name, signature, comment, head) of each function of a file."""
    for kind, name, arguments, rest in FUNCTION.findall(path.read_text()):
        arguments = re.sub(r"\s+", " ", arguments).strip()
        returns = re.search(r"^returns (.*)", rest, re.M)
        signature = f"{name}({arguments})" + (f" returns {returns[1]}" if returns else "")
        head = re.search(r"^--(?!@)[^\n]*\n(?:--(?!@)[^\n]*\n)*", rest, re.M)
        head = [line[2:].removeprefix(" ") for line in head[0].splitlines()] if head else []
        yield kind, name, signature, COMMENT.search(rest)[1].replace("''", "'"), "\n".join(head)


def sentence(text):
    return text[0].upper() + text[1:].rstrip(".") + "."


def page():
    public, views = grants()
    out = ["# Reference", "",
           "Every function and view that a role may use, from the comments in `functions/` and `structure/`. `make docs` writes this page.",
           "`pgtq_admin` has what `pgtq_reader` and `pgtq_writer` have, and more.", ""]
    stages = dict(STAGES)
    for folder in sorted(p.name for p in (ROOT / "functions").iterdir() if p.is_dir()):
        stages.setdefault(folder, folder.capitalize())
    for folder, title in stages.items():
        files = [p for p in sorted((ROOT / "functions" / folder).glob("pgtq.*.sql")) if p.name.split(".")[1] in public]
        if files:
            out += [f"## {title}", ""]
        for file in files:
            name = file.name.split(".")[1]
            out += [f"### {name}", ""]
            for _, _, signature, comment, head in functions(file):
                out += [f"`{signature}`", "", sentence(comment)]
                out += ["", "```text", head, "```", ""] if head else [""]
            out += ["For: " + ", ".join(f"`{role}`" for role in dict.fromkeys(public[name])), ""]
    out += ["## Views and tables", "", "| name | | for |", "|---|---|---|"]
    texts = "\n".join(p.read_text() for p in sorted((ROOT / "structure").glob("*.sql")))
    for view in sorted(set(VIEW.findall(texts)) & set(views)):
        comment = re.search(rf"comment on view pgtq\.{view} is '((?:[^']|'')*)'", texts)[1].replace("''", "'")
        out += [f"| `{view}` | {sentence(comment)} | {', '.join(f'`{r}`' for r in dict.fromkeys(views[view]))} |"]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/reference.md"
    target.write_text(page())
