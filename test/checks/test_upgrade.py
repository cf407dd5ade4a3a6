"""An upgraded database is the same as a fresh one.

The frame is tried on a previous version made up for the purpose: the present
script, at whose end a function and a column are dropped again. The delta in
upgrade/ brings back the column; the function must come from the build.
"""

import psycopg
import pytest

from catalog import differences, extension_fingerprint
from server import Database

PREVIOUS = "0.0.1"

# The last columns of tables: (table, column, as ADD COLUMN takes it, comment).
LAST_COLUMNS = """
    select a.attrelid::regclass::text, quote_ident(a.attname),
           concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
                     'default ' || pg_get_expr(d.adbin, d.adrelid),
                     case when a.attnotnull then 'not null' end),
           quote_literal(col_description(a.attrelid, a.attnum))
      from pg_class as c
      join pg_attribute as a on a.attrelid = c.oid and a.attnum = c.relnatts
      left join pg_attrdef as d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relnamespace = 'pgtq'::regnamespace and c.relkind = 'r' and not c.relhassubclass
       and a.attidentity = '' and a.attgenerated = '' and a.attacl is null
       and not exists (select from pg_constraint where conrelid = c.oid and a.attnum = any (conkey))
       and not exists (select from pg_index where indrelid = c.oid and a.attnum = any (indkey))
     order by 1
"""

FUNCTIONS = """
    select oid::regprocedure::text from pg_proc
     where pronamespace = 'pgtq'::regnamespace and prokind = 'f'
     order by proname <> 'version', 1
"""


def first_that_goes(conn, candidates, statement):
    """The first candidate whose statement finds no dependent object."""
    for candidate in candidates:
        try:
            with conn.transaction(force_rollback=True):
                conn.execute(statement.format(*candidate))
            return candidate
        except psycopg.errors.DependentObjectsStillExist:
            continue
    raise AssertionError(f"nothing for: {statement}")


@pytest.fixture(scope="module")
def steps(server):
    """SQL that makes the previous version of this one, and the delta that undoes it."""
    db = server.create_db(build="c")
    with db.connect() as conn:
        conn.execute("set search_path = pg_catalog")
        (function,) = first_that_goes(
            conn, conn.execute(FUNCTIONS).fetchall(),
            "alter extension pgtq drop function {0}; drop function {0}")
        table, column, definition, comment = first_that_goes(
            conn, conn.execute(LAST_COLUMNS).fetchall(), "alter table {0} drop column {1}")
    db.drop()

    backward = f"alter table {table} drop column {column};\n" \
               f"alter extension pgtq drop function {function};\ndrop function {function};\n"
    forward = f"alter table {table} add column {definition};\n" \
              f"comment on column {table}.{column} is {comment or 'null'};\n"
    return backward, forward


def upgraded_and_fresh(workspace, backward, delta):
    """Fingerprints of two databases: one that came through the upgrade, one new."""
    version = workspace.main.version

    def add_delta(src):
        (src / "upgrade").mkdir(exist_ok=True)
        (src / f"upgrade/pgtq--{PREVIOUS}--{version}.sql").write_text(delta)

    build = workspace.variant(add_delta)
    present = (build.extension_dir / f"pgtq--{version}.sql").read_text()
    (build.extension_dir / f"pgtq--{PREVIOUS}.sql").write_text(present + backward)

    with workspace.server(build=build) as server:
        fresh = server.create_db("fresh", "c", template=False)
        server.psql("postgres", "create database upgraded")
        server.psql("upgraded", f"create extension pgtq version '{PREVIOUS}'")
        server.psql("upgraded", f"alter extension pgtq update to '{version}'")
        upgraded = Database(server, "upgraded", "c")
        return extension_fingerprint(upgraded), extension_fingerprint(fresh)


def test_upgraded_is_like_fresh(workspace, steps):
    backward, forward = steps
    upgraded, fresh = upgraded_and_fresh(workspace, backward, forward)
    found = differences(upgraded, fresh, "upgraded", "fresh")
    assert not found, "\n".join(["", *found])


def test_forgotten_delta_is_noticed(workspace, steps):
    backward, forward = steps
    upgraded, fresh = upgraded_and_fresh(workspace, backward, "-- nothing\n")
    found = differences(upgraded, fresh, "upgraded", "fresh")
    assert found and all("column" in line for line in found), found
