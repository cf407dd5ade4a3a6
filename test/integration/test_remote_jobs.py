"""Jobs that are sent to another server: many at once, what stops them, what breaks them."""

import contextlib

import psycopg
import pytest
from jobs import CAPTURED, END, ended, is_running, state, submit
from server import eventually
from timers import GRANTS


@pytest.fixture(scope="module")
def other(workspace):
    """Another server: the role "guest" needs a password there, everybody else none."""
    with workspace.server(max_connections=200) as server:
        hba = server.data / "pg_hba.conf"
        hba.write_text("local all guest scram-sha-256\n" + hba.read_text())
        server.reload()
        server.psql("postgres", "create role guest login password 'secret'; grant pg_signal_backend to guest;")
        yield server


@pytest.fixture
def there(other):
    """A database of the other server."""
    db = other.create_db()
    db.psql(GRANTS)
    yield db
    db.drop()


@pytest.fixture
def db(ticking):
    yield ticking
    ticking.rows("select pgtq.cancel_job(id), pgtq.cancel_running(id) from pgtq.jobs where finished_at is null")
    eventually(lambda: not ticking.rows("select from pgtq.running"))


def send(db, there, action, **options):
    return submit(db, action, remote=there.conninfo(), **options)


def logged(there):
    return [row[0] for row in there.rows("select what from app.log order by id")]


def sessions(there):
    return there.rows("select pid, query, state from pg_stat_activity where application_name = 'pgtq remote job' and datname = current_database()")


def test_runs_there(db, there):
    job = send(db, there, "insert into app.log (what) values (current_database())", data="mine")
    assert ended(db, job) == ("done", None, None, None)
    assert logged(there) == [there.name]
    assert db.rows("select remote, data, state, task_state, attempts from pgtq.jobs") == [(there.conninfo(), "mine", "done", "DONE", 1)]


def test_many_at_once(db, there):
    """From one process: 50 that take a second end in a few."""
    with db.connect() as conn:
        jobs = [row[0] for row in conn.execute("select pgtq.submit_job('select pg_sleep(1)', remote => %s) from generate_series(1, 50)", (there.conninfo(),))]
    eventually(lambda: len(sessions(there)) == 50, 20)
    assert db.value("select count(*) from pg_stat_activity where backend_type = 'pgtq remote' and datname = current_database()") == 1
    assert db.value("select connections from pgtq._remote_worker()") == 50
    for job in jobs:
        assert ended(db, job)[:2] == ("done", None)
    assert db.value("select count(distinct pid) from pgtq.jobs") == 1
    assert db.value("select max(finished_at) - min(started_at) < '25 s' from pgtq.jobs")


@pytest.mark.parametrize("options, action, output", CAPTURED)
def test_capture(db, there, options, action, output):
    assert ended(db, send(db, there, action, **{"capture": "text", **options}))[3] == output


def test_what_cannot_run_in_a_transaction(db, there):
    """Each statement is a message of its own, as from psql."""
    there.psql("create procedure app.commits() language plpgsql as"
               " $$ begin insert into app.log (what) values ('a'); commit; insert into app.log (what) values ('b'); end $$")
    job = send(db, there, "vacuum app.log; call app.commits(); reindex table concurrently app.log; begin; set local work_mem = '1MB'; commit;"
                          " create function app.f() returns int begin atomic; select 1; select 2; end; -- the end;")
    assert ended(db, job)[:3] == ("done", None, None)
    assert logged(there) == ["a", "b"]


@pytest.mark.parametrize("action", ["", "-- nothing", ";;", "listen x; notify x", "select repeat('x', 1000000) from generate_series(1, 50)"])
def test_harmless(db, there, action):
    assert ended(db, send(db, there, action, job_group="h", session_life="1 min"), 60)[:3] == ("done", None, None)


@pytest.mark.parametrize("action, sqlstate, rows", [
    ("insert into app.log (what) values ('a'); select 1/0; insert into app.log (what) values ('b')", "22012", ["a"]),
    ("begin; insert into app.log (what) values ('a'); select 1/0; commit", "22012", []),
    ("begin; insert into app.log (what) values ('a')", "2D000", []),
    ("insert into app.log (what) values ('a'); selec", "42601", []),
    ("copy app.log to stdout", "0A000", []), ("copy app.log from stdin", "0A000", []),
    ("do $$ begin raise exception 'mine' using errcode = '08006'; end $$", "08006", []),
])
def test_errors(db, there, action, sqlstate, rows):
    """The first error ends it; what was committed before stays."""
    job = send(db, there, action, max_attempts=2, backoff="0")
    assert ended(db, job)[:2] == ("failed", sqlstate)
    assert logged(there) == rows * 2
    assert db.value("select attempts from pgtq.jobs where id = %s", job) == 2


def test_states(db, there):
    job = send(db, there, "select pg_sleep(600)")
    is_running(db, job)
    assert db.rows("select task_state, started_at >= fire_at, pid = (select pid from pgtq._remote_worker()) from pgtq.jobs") == [("WORK", True, True)]
    assert db.rows("select id, scheduled_by from pgtq.running") == [(job, "postgres")]
    assert f"sent to {there.conninfo()}, runs" in db.value("select pgtq.why(%s)", job)
    assert db.rows("select status, seen from pgtq.health() where name = 'remote jobs'") == \
        [("ok", "1 are not done: 1 are running, 0 are connecting, 0 have failed and are tried again")]
    eventually(lambda: db.rows("select query from pg_stat_activity where backend_type = 'pgtq remote' and state = 'active'")
               == [(f"1 remote job: {job}",)])
    assert not db.value("select pgtq.cancel_job(%s)", job)
    db.rows("select pgtq.cancel_running(%s)", job)
    assert ended(db, job)[:2] == ("failed", "57014")


def test_cancel(db, there):
    """It is stopped there, and not tried again."""
    job = send(db, there, "insert into app.log (what) values ('a'); select pg_sleep(600); insert into app.log (what) values ('b')", max_attempts=3)
    is_running(db, job)
    eventually(lambda: logged(there) == ["a"])
    assert db.value("select pgtq.cancel_running(%s)", job)
    assert ended(db, job)[:3] == ("failed", "57014", "canceling statement due to user request")
    assert logged(there) == ["a"]
    assert db.value("select attempts from pgtq.jobs") == 1
    eventually(lambda: not sessions(there))


def test_timeout(db, there):
    job = send(db, there, "select pg_sleep(0.2);" * 100, timeout_ms=1000, max_attempts=2, backoff="0")
    assert ended(db, job)[:3] == ("failed", "57014", "canceling statement due to statement timeout")
    assert db.value("select attempts from pgtq.jobs") == 2


def test_timeout_that_is_caught(db, there):
    """Then its connection is closed, and nobody knows how far it came."""
    job = send(db, there, "do $$ begin loop begin perform pg_sleep(600); exception when query_canceled then null; end; end loop; end $$", timeout_ms=200)
    assert ended(db, job, 60)[:2] == ("failed", "08006")
    there.rows("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pgtq remote job'")


def test_group_and_priority(db, there):
    first = send(db, there, "select pg_sleep(600)", job_group="g", group_limit=1)
    is_running(db, first)
    jobs = [send(db, there, "select 1", job_group="g", group_limit=1, priority=p) for p in (0, 2, 1)]
    late = send(db, there, "select 1", job_group="g", group_limit=1, expires_in="0.1 s")
    here = submit(db, "select 1", job_group="g", group_limit=1)
    assert ended(db, here)[0] == "done"             # a group of those that run here is another one
    eventually(lambda: db.value("select clock_timestamp() > expires_at from pgtq.jobs where id = %s", late))
    db.rows("select pgtq.cancel_running(%s)", first)
    for job in jobs:
        assert ended(db, job)[0] == "done"
    assert ended(db, late)[0] == "expired"
    assert [row[0] for row in db.rows("select id from pgtq.jobs where id = any (%s) order by started_at", jobs)] == [jobs[1], jobs[2], jobs[0]]


def test_group_pause(db, there):
    for job in [send(db, there, "select 1", job_group="p", group_pause="0.5 s") for _ in range(3)]:
        assert ended(db, job)[0] == "done"
    assert db.value("""select min(gap) >= interval '0.5 s' from (
        select started_at - lag(finished_at) over (order by started_at) as gap from pgtq.jobs where job_group = 'p') g""")


def test_connections_are_reused(db, there):
    """Within a role, a group and a server, as long as asked for, and nothing is left in them."""
    there.psql("create table app.pids (pid int, mem text)")
    jobs = [send(db, there, "create temp table t (a int); insert into app.pids values (pg_backend_pid(), current_setting('work_mem'));"
                            " set work_mem = '1MB'; select pg_advisory_lock(1)",
                 job_group="r", group_limit=1, session_life="1 hour", session_count=3) for _ in range(5)]
    for job in jobs:
        assert ended(db, job)[:3] == ("done", None, None)
    assert sorted(row[0] for row in there.rows("select count(*) from app.pids group by pid")) == [2, 3]
    assert there.value("select count(distinct mem) from app.pids") == 1
    assert ended(db, send(db, there, "insert into app.pids values (pg_backend_pid())", job_group="s"))[0] == "done"
    assert there.value("select count(distinct pid) from app.pids") == 3


def test_a_connection_that_has_died_is_not_used(db, there):
    assert ended(db, send(db, there, "select 1", job_group="r", session_life="1 hour"))[0] == "done"
    eventually(lambda: [row[2] for row in sessions(there)] == ["idle"])
    there.rows("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pgtq remote job'")
    eventually(lambda: not sessions(there))
    eventually(lambda: not db.rows("select from pgtq.jobs where state <> 'done'"))
    assert ended(db, send(db, there, "select 1", job_group="r", session_life="1 hour"))[:3] == ("done", None, None)


def test_more_than_there_are_connections(workspace, there):
    with workspace.server(shared_preload_libraries="pgtq", **{"pgtq.max_remote_jobs": 3}) as server:
        db = server.create_db()
        jobs = [send(db, there, "select pg_sleep(0.1)", job_group=f"g{n % 4}", session_life="1 hour") for n in range(12)]
        for job in jobs:
            assert ended(db, job)[0] == "done"
        assert db.value("""select max((select count(*) from pgtq.jobs b where b.started_at <= a.started_at and b.finished_at > a.started_at))
                             from pgtq.jobs a""") <= 3


def test_cancel_before_it_begins(db, there):
    job = send(db, there, "insert into app.log (what) values ('x')", at=db.value("select now() + interval '1 hour'"))
    assert db.value("select pgtq.cancel_job(%s)", job)
    assert ended(db, job)[0] == "cancelled"
    job = send(db, there, "insert into app.log (what) values ('x')", at=db.value("select now() + interval '0.5 s'"))
    with db.connect(autocommit=False) as conn:
        assert conn.execute("select pgtq.cancel_job(%s)", (job,)).fetchone()[0]
        eventually(lambda: db.value("select clock_timestamp() > fire_at from pgtq.jobs where id = %s", job))
        assert ended(db, send(db, there, "select 1"))[0] == "done"
        conn.rollback()
    assert ended(db, job)[0] == "done"
    assert logged(there) == ["x"]


def test_schedule(db, there):
    """Again and again, and the options of a schedule."""
    db.rows("select pgtq.schedule_every('s', '200 ms', 'insert into app.log (what) values (''s'')', max_runs => 3, job => true,"
            " job_options => jsonb_build_object('remote', %s::text))", there.conninfo())
    eventually(lambda: len(logged(there)) == 3)
    eventually(lambda: db.value("select state from pgtq.schedules") == "finished")
    assert db.rows("select distinct state, schedule, remote from pgtq.jobs") == [("done", "s", there.conninfo())]


@pytest.mark.parametrize("on_crash, outcome", [("fail", ("failed", "08006")), ("retry", ("done", None))])
@pytest.mark.parametrize("how", ["connection", "other server", "worker", "server"])
def test_lost_while_running(workspace, how, on_crash, outcome):
    """Reported or run again, as chosen; what waits is not touched."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(workspace.server(shared_preload_libraries="pgtq"))
        other = stack.enter_context(workspace.server())
        db, there = server.create_db(), other.create_db()
        there.psql(GRANTS)
        job = send(db, there, "do $$ begin if exists (select from app.log) then insert into app.log (what) values ('again'); return; end if;"
                              " insert into app.log (what) values ('once'); commit; perform pg_sleep(600); end $$",
                   on_crash=on_crash, max_attempts=10, backoff="0.2 s")
        waits = send(db, there, "select 1", at=db.value("select now() + interval '1 hour'"))
        is_running(db, job)
        eventually(lambda: logged(there) == ["once"])
        if how == "connection":
            there.rows("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pgtq remote job'")
        elif how == "worker":
            db.rows("select pg_terminate_backend(pid) from pgtq._remote_worker()")
        elif how == "server":
            server.crash()
            server.start()
        else:
            other.crash()
            other.start()

        def done():
            with contextlib.suppress(psycopg.Error):
                return state(db, job) in END
        eventually(done, 60)
        assert ended(db, job)[:2] == outcome
        if how == "worker":
            eventually(lambda: not there.rows("select from pg_stat_activity where query ~ 'once' and pid <> pg_backend_pid() and state = 'active'"))
        assert logged(there) == (["once"] if on_crash == "fail" else ["once", "again"])
        assert db.value("select sqlstate from pgtq.attempts where id = %s order by attempt limit 1", job) == "08006"
        assert state(db, waits) == "planned"


def test_server_is_down_then_up(workspace, db):
    """That it cannot be reached is a failed attempt; it has not begun."""
    with workspace.server() as other:
        there = other.create_db()
        there.psql(GRANTS)
        other.stop()
        job = send(db, there, "insert into app.log (what) values ('x')", max_attempts=100, backoff="0.1 s")
        once = send(db, there, "select 1")
        assert ended(db, once)[:2] == ("failed", "08001")
        eventually(lambda: db.value("select attempts from pgtq.jobs where id = %s", job) > 1)
        assert "have failed and are tried again" in db.value("select seen from pgtq.health() where name = 'remote jobs'")
        other.start()
        assert ended(db, job, 60)[0] == "done"
        assert logged(there) == ["x"]
        assert db.rows("select distinct hi_sqlstate, hi_started is null from pgtq.history where hi_timer = %s and hi_status = 5", job) == [("08001", True)]


def test_drop_database(preloaded, there):
    """Nobody is in the way; nor is the extension."""
    db = preloaded.create_db()
    job = send(db, there, "select pg_sleep(600)")
    is_running(db, job)
    db.drop()
    eventually(lambda: not sessions(there))     # what ran there was stopped


def test_the_worker_goes_when_there_is_nothing_to_do(workspace, there):
    with workspace.server(shared_preload_libraries="pgtq", **{"pgtq.session_idle_timeout": "200ms"}) as server:
        db = server.create_db()
        for _ in range(2):
            assert ended(db, send(db, there, "select 1", session_life="1 hour"))[0] == "done"
            eventually(lambda: db.value("select pid is null from pgtq._remote_worker()"))
            eventually(lambda: not sessions(there))


def test_other_encoding(workspace, db):
    """What another server sends is translated; what cannot be, or is not valid, is an error."""
    with workspace.server() as other:
        with other.connect() as conn:
            for name, encoding in (("latin", "LATIN1"), ("ascii", "SQL_ASCII")):
                conn.execute(f"create database {name} encoding '{encoding}' template template0")
        for name, options, outcome in (("latin", {}, ("done", None, None, "ä")), ("ascii", {}, ("failed", "22021"))):
            action = "select convert_from('\\xe4', 'latin1')" if name == "latin" else "select convert_from('\\xe4', 'sql_ascii')"
            job = submit(db, action, remote=other.conninfo(name), capture="text", **options)
            assert ended(db, job)[:len(outcome)] == outcome


def test_old_jobs_are_found(workspace, there):
    """The worker comes after a restart for what is planned already."""
    with workspace.server(shared_preload_libraries="pgtq") as server:
        db = server.create_db()
        job = send(db, there, "select 1", at=db.value("select now() + interval '3 s'"))
        server.restart()
        assert ended(db, job, 30)[0] == "done"
