"""pg_dump and pg_restore of a database in which a consumer has an open batch, or with jobs."""

import contextlib

import psycopg
import pytest
from jobs import END, state, submit
from server import Database, eventually
from timers import GRANTS


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


OPTIONS = {
    "job_group": "g", "group_limit": 2, "group_pause": "0.1 s", "priority": 3, "timeout_ms": 70000, "expires_in": "1 day",
    "max_attempts": 2, "backoff": "2 s", "on_crash": "retry", "capture": "text", "output_limit": 100, "header": False,
    "delimiter": ";", "quote": "'", "escape": "'", "null_string": "-", "quote_strings_only": False, "session_life": "1 min",
    "session_count": 5, "parent": 7, "data": "mine"}


@pytest.fixture(scope="module")
def other_server(workspace):
    with workspace.server() as server:
        yield server


@pytest.mark.parametrize("on_clone", ["run", "pause"])
@pytest.mark.parametrize("build, workers", [("c", False), ("pl", False), ("c", True)])
def test_jobs(server, workspace, request, build, workers, on_clone):
    """Into another server, whose roles have other oids: jobs have all their options, and run, or wait for adopt()."""
    db = server.create_db(build=build)
    bob = f"{db.name}_bob"
    db.psql(GRANTS)
    db.psql(f"create role {bob} login; grant pgtq_writer to {bob}")
    due = submit(db, "select 'a' as a, 1 as b, null as c; insert into app.log (what) values ('due')", bob, **OPTIONS)
    later = submit(db, "select 1", bob, **OPTIONS, at=db.value("select now() + interval '1 hour'"))
    db.psql(f"update pgtq.job set jo_remote = 'elsewhere' where jo_id = {later}")
    lost = submit(db, "select 1", bob)
    db.psql(f"update pgtq.job set jo_state = 2, jo_pid = 0, jo_started = now() where jo_id = {lost}")
    with db.connect(user=bob) as conn:
        conn.execute("select pgtq.schedule_every('again', '1 hour', 'select 1', job => true, job_options => '{\"priority\": 3}')")
        (run,) = conn.execute("select pgtq.run_now('again')").fetchone()
    db.psql("select pgtq.ticker()")
    assert state(db, run) == "planned"
    columns = "to_jsonb(j) - '{jo_txid,jo_home,jo_role}'::text[]"
    before = db.rows(f"select {columns} from pgtq.job j order by jo_id")
    assert len(before) == 4
    file = workspace.path / f"jobs_{db.name}"
    workspace.run("pg_dump", "-d", db.conninfo(), "-F", "custom", "-f", file)

    target = request.getfixturevalue("preloaded" if workers else "other_server")
    copy = Database(target, f"{db.name}_copy", build)
    with target.connect() as conn:
        for n in range(5):
            conn.execute(f"create role {bob}_{n}")
        conn.execute(f"create role {bob} login")
        for name in ("pgtq_reader", "pgtq_writer", "pgtq_admin"):
            with contextlib.suppress(psycopg.errors.DuplicateObject):
                conn.execute(f"create role {name}")
        conn.execute(f"grant pgtq_reader, pgtq_writer to pgtq_admin; grant pgtq_writer to {bob}")
        conn.execute(f"create database {copy.name} template template0")
        conn.execute(f"alter database {copy.name} set pgtq.on_clone = '{on_clone}'")
    workspace.run("pg_restore", "--exit-on-error", "-d", copy.conninfo(), file)
    if not workers:
        assert copy.rows(f"select {columns} from pgtq.job j order by jo_id") == before

    def work():
        """Whoever runs jobs has been here."""
        new = submit(copy, "select 1", bob)
        if not workers:
            with copy.connect(user=bob) as conn:
                conn.execute("call pgtq.run_jobs()")
            return
        eventually(lambda: state(copy, new) == "done")

    if on_clone == "pause":
        if workers:
            work()
        else:
            with copy.connect(user=bob) as conn:
                assert conn.execute("call pgtq.run_jobs()").fetchone() == (0,)
        assert [state(copy, job) for job in (due, later, run)] == ["planned"] * 3
        assert copy.value("select status from pgtq.health() where name = 'jobs'") == "warn"
        assert copy.value("select pgtq.adopt()") > 0
    work()
    eventually(lambda: state(copy, due) in END and state(copy, run) in END)
    assert copy.rows("select id, state, sqlstate, output, submitted_by, data from pgtq.jobs where id = any (%s) order by id", [due, lost, run]) == [
        (due, "done", None, "'a';'1';-", bob, "mine"), (lost, "failed", "08006", None, bob, None), (run, "done", None, None, bob, None)]
    assert copy.rows("select what, who from app.log") == [("due", bob)]
    (after,) = copy.rows(f"select {columns}, jo_role::regrole::text from pgtq.job j where jo_id = %s", later)
    assert after == (next(row for row, in before if row["jo_id"] == later), bob)
    # the schedule goes on
    eventually(lambda: copy.value("select state from pgtq.schedules") == "waiting")
    assert copy.value("select (ev_run).n from pgtq.delay") == 2
    for each in (db, copy):
        each.drop()
