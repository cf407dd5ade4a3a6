"""docs/reference.md is what the SQL says, and the settings in the README are what the server says."""

import re
import subprocess
import sys

import pytest
from server import ROOT


def test_reference_is_not_stale(tmp_path):
    subprocess.run([sys.executable, ROOT / "mk/reference.py", tmp_path / "page"], check=True)
    assert (tmp_path / "page").read_text() == (ROOT / "docs/reference.md").read_text(), "run `make docs`"


def test_every_public_function_has_an_entry(alone, build):
    """Public: a role of ours may run it, and its name does not begin with an underscore."""
    text = (ROOT / "docs/reference.md").read_text()
    names = alone(build).rows("""
        select distinct proname from pg_proc p, aclexplode(proacl) a
         where pronamespace = 'pgtq'::regnamespace and proname !~ '^_'
           and a.grantee in (select oid from pg_roles where rolname ~ '^pgtq_')""")
    assert len(names) > 50
    assert [n for n, in names if f"\n### {n}\n" not in text] == []


def test_every_public_view_has_an_entry(alone, build):
    text = (ROOT / "docs/reference.md").read_text()
    names = alone(build).rows("""
        select distinct relname from pg_class c, aclexplode(relacl) a
         where relnamespace = 'pgtq'::regnamespace and relkind = 'v'
           and a.grantee in (select oid from pg_roles where rolname ~ '^pgtq_')""")
    assert [n for n, in names if f"\n| `{n}` |" not in text and n != "request"] == []


RELOAD = {"sighup": "reload", "superuser": "superuser", "user": "anybody", "postmaster": "restart"}


def test_settings_table(alone):
    """Each row: name, default with its unit, who can change it and how; and no setting is missing."""
    text = (ROOT / "README.md").read_text()
    table = {name: (default, level) for name, default, level in
             re.findall(r"^\| `(pgtq\.\w+)` \| ([^|]*?) \| ([^|]*?) \|", text, re.M)}
    db = alone("c")
    with db.connect() as conn:
        conn.execute("load 'pgtq'")
        rows = conn.execute("select name, boot_val, coalesce(unit, ''), context from pg_settings where name ~ '^pgtq\\.'").fetchall()
    expected = {name: (f"{value} {unit}".strip() or "empty", RELOAD[context]) for name, value, unit, context in rows}
    assert len(expected) > 10
    assert table == expected
