"""pg_dump and pg_restore of a database in which a consumer has an open batch."""

import pytest


def contents(db):
    """All that is in pgtq's tables and sequences."""
    result = {}
    for table, kind in db.rows("""
            select c.oid::regclass::text, c.relkind from pg_class c
             where relnamespace = 'pgtq'::regnamespace and relkind in ('r', 'S')"""):
        if kind == b"S" or kind == "S":
            result[table] = db.rows(f"select last_value, is_called from {table}")
        else:
            result[table] = db.rows(f"select t::text from only {table} t order by 1")
    return result


@pytest.mark.parametrize("form", ["custom", "plain"])
def test_dump_and_restore(db, workspace, form):
    db.psql("""
        select pgtq.create_queue('q'), pgtq.create_queue('other');
        select pgtq.set_queue_config('q', 'ticker_max_lag', '0');
        select pgtq.set_queue_config('q', 'rotation_period', '0');
        select pgtq.register_consumer('q', 'a'), pgtq.register_consumer('q', 'b');
        select pgtq.register_consumer('other', 'a');
        select pgtq.insert_event('q', 't', n::text) from generate_series(1, 10) n;
    """)
    with db.connect() as conn:
        conn.execute("select pgtq.ticker('q')")
        (batch,) = conn.execute("select pgtq.next_batch('q', 'a')").fetchone()
        conn.execute("select pgtq.event_retry(%s, 3, 3600)", (batch,))
        conn.execute("select pgtq.maint_rotate_tables_step1('q')")
        conn.execute("select pgtq.insert_event('q', 't', 'in the next table')")
        before = contents(db)
        assert before["pgtq.delay_0"] and len(before["pgtq.event_1_0"]) == 10
        assert len(before["pgtq.event_1_1"]) == 1

        file = workspace.path / f"dump_{db.name}"
        workspace.run("pg_dump", "-d", db.conninfo(), "-F", form, "-f", file)

    restored = db.server.connect()
    name = f"{db.name}_restored"
    restored.execute(f"create database {name} template template0")
    restored.close()
    copy = type(db)(db.server, name, db.build)
    try:
        if form == "plain":
            copy.psql(file=file)
        else:
            workspace.run("pg_restore", "--exit-on-error", "-d", copy.conninfo(), file)
        after = contents(copy)
        # the rows that mark a table of a log are made by CREATE EXTENSION, and the mover begins anew
        for tables in (before, after):
            for log in ("position", "history"):
                for n in range(3):
                    rows = tables[f"pgtq.{log}_{n}"]
                    tables[f"pgtq.{log}_{n}"] = [r for r in rows if not r[0].startswith(("(0,", "(-1,"))]
            del tables["pgtq.timeline"]     # of the database, not of what is in it
        assert after == before
        assert copy.value("select count(*) from pgtq.subscription where sub_batch = %s", batch) == 1
    finally:
        copy.drop()
