"""What an action can leave behind for the next one, and what it can gain: nothing."""

import contextlib

import psycopg
import pytest
from server import eventually
from timers import GRANTS, logged, outcome, role, schedule


@pytest.fixture
def db(ticking):
    ticking.psql(GRANTS)
    ticking.psql("create role mallory login; grant pgtq_writer to mallory; create role other nologin;")
    yield ticking
    eventually(lambda: not ticking.rows("select from pgtq.running"))
    ticking.psql("drop owned by mallory, other; drop role mallory, other;")


LEAVINGS = [
    ("set work_mem = '1MB'", "current_setting('work_mem') = '4MB'"),
    ("set search_path = app", "current_setting('search_path') <> 'app'"),
    ("set my.own = 'x'", "coalesce(current_setting('my.own', true), '') = ''"),
    ("select set_config('datestyle', 'German', false)", "current_setting('datestyle') = 'ISO, MDY'"),
    ("set default_transaction_read_only = on", "current_setting('default_transaction_read_only') = 'off'"),
    ("set transaction read only", "current_setting('transaction_read_only') = 'off'"),
    ("set role mallory", "current_user = 'mallory'"),
    ("set session authorization mallory", "session_user = 'mallory'"),
    ("reset role", "current_user = 'mallory'"),
    ("reset session authorization", "session_user = 'mallory'"),
    ("create temp table log (a int)", "to_regclass('pg_temp.log') is null"),
    ("prepare p as select 1", "not exists (select from pg_prepared_statements)"),
    ("declare c cursor with hold for select 1", "not exists (select from pg_cursors)"),
    ("select pg_advisory_lock(1)", "not exists (select from pg_locks where locktype = 'advisory')"),
    ("set constraints all deferred", "true"),
    ("create sequence app.seq; select nextval('app.seq')", "true"),
]


@pytest.mark.parametrize("action, check", LEAVINGS)
def test_nothing_is_left(db, action, check):
    """The second one comes in the same group, the third in another of the same session."""
    with db.connect(user="mallory") as conn:
        ids = conn.execute("""
            select pgtq.schedule_many(array[now(), now()], array[%s,
                   format('insert into app.log (what) select (%%s)::text', %s::text)])""",
                           (action, check)).fetchone()[0]
    assert [outcome(db, t)[:3] for t in ids] == [("fired", None, None)] * 2
    schedule(db, f"insert into app.log (what) select ({check})::text", "mallory")
    eventually(lambda: len(logged(db)) == 2)
    assert logged(db) == ["true", "true"]
    assert db.value("select count(distinct hi_pid) from pgtq.history") == 1


@pytest.mark.parametrize("action", [
    "set role other", "set session authorization other", "set session authorization postgres",
    "set role postgres", "set session_replication_role = replica", "set pgtq.history = off",
    "insert into pgtq.delay_0 (ev_txid, dl_queue, dl_due, ev_role) select '1', 1, now(), 10",
    "update pgtq.queue set queue_executor = null", "copy pgtq.delay_0 from '/dev/null'",
    "insert into pgtq.done_0 values (1, 1, false, '{1}')", "select * from pgtq.carried",
    "delete from pgtq.history_0", "select pgtq._move_due(1)", "select pgtq._turn_done()",
    "select pgtq._add_history(null, 1, null, null, null)", "select pgtq._fire(10, 1)",
    "select setval('pgtq.done_cur_seq', 1)", "truncate pgtq.done_0",
    "create event trigger e on ddl_command_end execute function app.f()",
    "select pgtq.next_batch('timers', 'pgtq.executor')",
])
def test_refused(db, action):
    state = outcome(db, schedule(db, action, "mallory"))
    assert (state[0], state[1][:2]) == ("failed", "42") or state[1] == "22023", state


@pytest.mark.parametrize("action", [
    "commit", "rollback", "begin", "savepoint a", "prepare transaction 'x'", "select 1; commit",
    "do $$ begin commit; end $$", "vacuum", "start transaction"])
def test_no_transaction_control(db, action):
    """The neighbours are not hurt."""
    ids = [schedule(db, a, "mallory") for a in
           ("insert into app.log (what) values ('1')", action, "insert into app.log (what) values ('2')")]
    assert [outcome(db, t)[0] for t in ids] == ["fired", "failed", "fired"]
    assert sorted(logged(db)) == ["1", "2"]


def test_transaction_control_names_jobs(db):
    assert "transaction" in outcome(db, schedule(db, "commit", "mallory"))[2]


def test_deferred_trigger_runs_as_the_role(db):
    """What waits for the commit would, in a superuser's process, run as superuser."""
    db.psql("""
        create table app.t (a int);
        grant all on app.t to mallory;
    """)
    db.psql("""
        create function app.who() returns trigger language plpgsql as $$
        begin
            insert into app.log (what) values (current_user || ' ' || session_user);
            return null;
        end $$;
        create table app.mine (a int);
        create constraint trigger late after insert on app.mine deferrable initially deferred
            for each row execute function app.who();
        create function app.hold() returns text language plpgsql as $$
        begin
            insert into app.log (what) values ('hold ' || current_user || ' ' || session_user);
            return 'x';
        end $$;
    """, user="mallory")
    timer = schedule(db, "insert into app.mine values (1); declare c cursor with hold for select app.hold()", "mallory")
    assert outcome(db, timer)[0] == "fired"
    assert "mallory mallory" in logged(db)
    assert not [x for x in logged(db) if "postgres" in x]


def test_deferred_failure_hurts_only_its_own(db):
    db.psql("""
        create table app.parent (a int primary key);
        create table app.child (a int references app.parent deferrable initially deferred);
    """, user="mallory")
    actions = ["insert into app.log (what) values ('1')", "insert into app.child values (7)",
               "insert into app.child values (8); insert into app.parent values (8)",
               "insert into app.log (what) values ('2')"]
    with db.connect(user="mallory") as conn:
        ids = conn.execute("select pgtq.schedule_many(array_fill(now(), array[4]), %s)", (actions,)).fetchone()[0]
    assert [outcome(db, t)[:2] for t in ids] == [("fired", None), ("failed", "23503"), ("fired", None), ("fired", None)]
    assert sorted(logged(db)) == ["1", "2"]


def test_shadowing(db):
    """Objects of the role's own have no part in the bookkeeping."""
    db.psql("""
        create function app.now() returns timestamptz language sql as $$ select '2000-01-01'::timestamptz $$;
        create table app.history_0 (a int);
        create operator app.= (function = int4ne, leftarg = int, rightarg = int);
        alter role mallory set search_path = app, pg_catalog;
        alter role mallory set default_transaction_isolation = 'serializable';
        alter role mallory set enable_indexscan = off;
    """)
    db.psql("create schema mallory authorization mallory")
    timer = schedule(db, "set search_path = app, pg_catalog; insert into app.log (what) values ('x')", "mallory")
    assert outcome(db, timer)[0] == "fired"
    assert logged(db) == ["x"]


def test_read_only_by_default(db):
    db.psql("alter role mallory set default_transaction_read_only = on")
    timer = schedule_ro(db, "insert into app.log (what) values ('x')")
    assert outcome(db, timer)[:2] == ("failed", "25006")
    assert outcome(db, schedule_ro(db, "select 1"))[0] == "fired"


@pytest.mark.parametrize("setting", [
    "local_preload_libraries = 'there_is_no_such_library'", "session_replication_role = replica", "role = postgres",
    "session_authorization = postgres", "pgtq.history = off", "pgtq.clock_offset = '1 day'", "exit_on_error = on",
    "client_min_messages = debug5", "statement_timeout = '1ms'", "lock_timeout = '1ms'", "idle_in_transaction_session_timeout = '1ms'"])
def test_what_a_role_sets_for_itself(db, setting):
    """It is refused, or in the way of nobody else; and no timer of the role is lost: it has run, or failed and says why."""
    with role(db, "bob"):
        with db.connect(user="mallory") as conn:
            with contextlib.suppress(psycopg.Error):
                conn.execute(f"alter role mallory set {setting}")
            timer = conn.execute("select pgtq.schedule_in('0', 'insert into app.log (what) values (1)')").fetchone()[0]
        neighbour = schedule(db, "insert into app.log (what) values (2)", "bob")
        state = outcome(db, timer)
        assert outcome(db, neighbour)[:3] == ("fired", None, None)
        assert state[0] == "fired" or (state[0] == "failed" and state[1] and state[2]), state
        assert db.rows("select who, session from app.log where what = '1'") == [("mallory", "mallory")] * (state[0] == "fired")


def test_sessions_that_do_not_start(db):
    """After three tries the timers of the role have failed, and the others have not waited."""
    with role(db, "bob"):
        timer = schedule(db, "select 1", "bob", "1 s")
        db.psql("alter role bob set session_preload_libraries = 'there_is_no_such_library'")
        neighbour = schedule(db, "select 1", "mallory", "1 s")
        assert outcome(db, neighbour)[0] == "fired"
        assert outcome(db, timer)[:2] == ("failed", "08004")


def schedule_ro(db, action):
    with db.connect(user="mallory", options="-c default_transaction_read_only=off") as conn:
        return conn.execute("select pgtq.schedule_in('0', %s)", (action,)).fetchone()[0]


def test_nobody_sees_anothers(db):
    with role(db, "bob"):
        timer = schedule(db, "select 'secret' / 0", "bob")
        outcome(db, timer)
        with db.connect(user="mallory") as conn:
            assert conn.execute("select count(*) from pgtq.timers").fetchone() == (0,)
            assert conn.execute("select count(*) from pgtq.running").fetchone() == (0,)


def test_dropped_role(db):
    db.psql("create role gone login; grant pgtq_writer to gone")
    timer = schedule(db, "insert into app.log (what) values ('x')", "gone", "1 s")
    db.psql("drop role gone; create role gone login; grant pgtq_writer to gone")
    assert outcome(db, timer)[:3] == ("failed", "28000", "the role that scheduled it does not exist any more")
    db.psql("drop role gone")
    assert logged(db) == []


def test_dropped_role_with_a_session(db):
    db.psql("create role gone login; grant pgtq_writer to gone")
    outcome(db, schedule(db, "select 1", "gone"))
    timer = schedule(db, "insert into app.log (what) values ('x')", "gone", "1 s")
    db.psql("drop role gone")
    assert outcome(db, timer)[:2] == ("failed", "28000")


def test_role_that_must_not_log_in(db):
    timer = schedule(db, "select 1", "mallory", "2 s")
    db.psql("alter role mallory nologin")
    assert outcome(db, timer)[0] == ("failed" if db.server.workspace.major < 17 else "fired")


def test_listen_is_refused(db):
    assert outcome(db, schedule(db, "listen x", "mallory"))[:2] == ("failed", "0A000")


def test_current_timer(db):
    timer = schedule(db, "insert into app.log (what) select pgtq.current_timer()::text", "mallory")
    outcome(db, timer)
    assert logged(db) == [str(timer)]
    assert db.value("select pgtq.current_timer()") is None


def test_role_that_is_another_from_the_start(db):
    """ALTER ROLE ... SET role: as for a login, and the session lasts."""
    db.psql("grant other to mallory; grant insert on app.log to other; grant usage on schema app to other;"
            "alter role mallory set role = 'other'")
    with db.connect(user="mallory", options="-c role=mallory") as conn:
        ids = conn.execute("select pgtq.schedule_many(array[now(), now()], array_fill("
                           "'insert into app.log (what) values (1)'::text, array[2]))").fetchone()[0]
    assert [outcome(db, t)[0] for t in ids] == ["fired"] * 2
    assert db.rows("select distinct who, session from app.log") == [("other", "mallory")]


def test_exhausting_sessions(db):
    """One role cannot have them all."""
    for _ in range(8):
        schedule(db, "select pg_sleep(3)", "mallory", timeout_ms=100000)
    eventually(lambda: len(db.rows("select from pgtq.running")) == 2)
    with role(db, "bob"):
        assert outcome(db, schedule(db, "select 1", "bob"))[0] == "fired"
        assert len(db.rows("select from pgtq.running")) == 2
    db.psql("select pgtq.drop_queue('timers', true)")
    db.rows("select pg_terminate_backend(pid) from pgtq.running")


def test_more_roles_that_never_end_than_sessions(db):
    """They have them all; who waits comes before their next ones, when any of them is stopped."""
    names = ["mallory", "m2", "m3", "m4"]
    db.psql("".join(f"create role {n} login; grant pgtq_writer to {n};" for n in [*names[1:], "eve"]))
    try:
        for name in names:
            schedule(db, "select pg_sleep(600)", name, timeout_ms=1000000)
        eventually(lambda: len(db.rows("select from pgtq.running")) == 4)
        for name in names:
            schedule(db, "select pg_sleep(600)", name, timeout_ms=1000000)
        timer = schedule(db, "select 1", "eve")
        eventually(lambda: db.rows("select from pgtq.health() where name = 'sessions' and status = 'warn'"))
        assert db.value("select state from pgtq.timers where id = %s", timer) == "due"
        db.rows("select pgtq.cancel_running(id) from pgtq.running where scheduled_by = 'mallory'")
        assert outcome(db, timer)[0] == "fired"
    finally:
        db.psql("select pgtq.drop_queue('timers', true)")
        db.rows("select pg_terminate_backend(pid) from pgtq.running")
        eventually(lambda: not db.rows("select from pgtq.running"))
        db.psql("drop owned by m2, m3, m4, eve; drop role m2, m3, m4, eve")


def test_two_roles_cannot_have_all_sessions(db):
    """A third and a fourth role get their turns, one after the other, while two never end."""
    with role(db, "carol"), role(db, "bob"), role(db, "dave"):
        for name in ("mallory", "carol"):
            for _ in range(4):
                schedule(db, "select pg_sleep(600)", name, timeout_ms=1000000)
        eventually(lambda: len(db.rows("select from pgtq.running")) == 3)
        for _ in range(3):
            for name in ("bob", "dave"):
                assert outcome(db, schedule(db, "select 1", name))[0] == "fired"
        timers = [schedule(db, "select pg_sleep(0.05)", name) for _ in range(20) for name in ("bob", "dave")]
        assert {outcome(db, timer)[0] for timer in timers} == {"fired"}
        assert len(db.rows("select from pgtq.running")) == 3
        db.psql("select pgtq.drop_queue('timers', true)")
        db.rows("select pg_terminate_backend(pid) from pgtq.running")
        eventually(lambda: not db.rows("select from pgtq.running"))


def test_executor_is_not_kept_waiting(db):
    """Who asks for what is due by hand is refused, and locks nothing."""
    schedule(db, "select 1", "mallory", "1 day")
    for op in ("take_due", "end_due"):
        with db.connect(user="mallory", autocommit=False) as conn:
            with pytest.raises(Exception, match="the executor runs"):
                conn.execute("insert into pgtq.request (op, count, sub) values (%s, 1, 1)", (op,))
