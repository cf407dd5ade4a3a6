"""Jobs of the C build: sessions and transactions of their own, groups and limits, who may do what."""

import pytest
from jobs import CAPTURED, ended, is_running, state, submit
from server import eventually
from timers import GRANTS, logged, role


@pytest.fixture
def db(ticking):
    ticking.psql(GRANTS)
    yield ticking
    ticking.rows("select pgtq.cancel_job(id), pgtq.cancel_running(id) from pgtq.jobs where finished_at is null")
    eventually(lambda: not ticking.rows("select from pgtq.running"))


TOP_LEVEL = [
    "vacuum", "vacuum (analyze) app.log", "reindex table concurrently app.log", "create index concurrently on app.log (what)",
    "call app.commits()", "do $$ begin insert into app.log (what) values ('x'); commit; end $$",
    "begin; insert into app.log (what) values ('x'); commit", "begin; savepoint a; rollback to a; commit",
    "select 1; vacuum; select 2", "begin; prepare transaction 'pgtq_job'; rollback prepared 'pgtq_job'",
    "set work_mem = '1MB'; select 1", "notify x", "create table app.t as select 1 as a; drop table app.t", "", "-- nothing",
    "declare c cursor with hold for select 1; fetch c; close c"]


@pytest.mark.parametrize("action", TOP_LEVEL)
def test_top_level(db, action):
    db.psql("create procedure app.commits() language plpgsql as"
            " $$ begin insert into app.log (what) values ('a'); commit; insert into app.log (what) values ('b'); end $$")
    if "prepare transaction" in action and db.value("show max_prepared_transactions") == "0":
        action = "begin; rollback"
    assert ended(db, submit(db, action))[:3] == ("done", None, None)
    if action.startswith("call"):
        assert logged(db) == ["a", "b"]


def test_create_database(db):
    try:
        assert ended(db, submit(db, "create database pgtq_made_by_a_job"))[:3] == ("done", None, None)
        assert ended(db, submit(db, "drop database pgtq_made_by_a_job"))[:3] == ("done", None, None)
    finally:
        db.psql("drop database if exists pgtq_made_by_a_job")


@pytest.mark.parametrize("action, sqlstate, rows", [
    ("insert into app.log (what) values ('a'); select 1/0; insert into app.log (what) values ('b')", "22012", ["a"]),
    ("begin; insert into app.log (what) values ('a'); select 1/0; commit", "22012", []),
    ("begin; insert into app.log (what) values ('a')", "2D000", []),
    ("insert into app.log (what) values ('a'); selec", "42601", []),
    ("copy app.log to stdout", "0A000", []), ("copy app.log from stdin", "0A000", []), ("listen x", "0A000", []),
    ("do $$ begin commit; perform 1/0; end $$", "22012", []),
])
def test_errors(db, action, sqlstate, rows):
    """The first error ends it; what was committed before stays."""
    assert ended(db, submit(db, action))[:2] == ("failed", sqlstate)
    assert logged(db) == rows


def test_runs_as_its_role(db):
    with role(db, "bob"):
        job = submit(db, "insert into app.log (what) values (pgtq.current_timer()::text)", "bob")
        assert ended(db, job)[0] == "done"
        assert db.rows("select what, who, session from app.log") == [(str(job), "bob", "bob")]


def test_states_and_times(db):
    job = submit(db, "select pg_sleep(600)", data="mine", at=db.value("select now() + interval '1 hour'"))
    assert db.rows("select state, task_state, data, finished_at, attempts from pgtq.jobs where id = %s", job) == \
        [("planned", "PLAN", "mine", None, 0)]
    assert db.value("select pgtq.cancel_job(%s)", job)
    assert ended(db, job)[0] == "cancelled"
    assert db.value("select task_state from pgtq.jobs where id = %s", job) == "STOP"
    job = submit(db, "select pg_sleep(600)")
    is_running(db, job)
    assert db.rows("select task_state, pid = (select pid from pgtq.running where id = j.id), started_at >= fire_at"
                   " from pgtq.jobs j where id = %s", job) == [("WORK", True, True)]
    assert not db.value("select pgtq.cancel_job(%s)", job)
    assert db.value("select pgtq.cancel_running(%s)", job)
    assert ended(db, job)[:2] == ("failed", "57014")
    assert db.value("select task_state from pgtq.jobs where id = %s", job) == "DONE"


def test_on_time(db):
    """It sleeps until the time, and not longer."""
    at = db.value("select clock_timestamp() + interval '1.5 s'")
    job = submit(db, "select 1", at=at)
    assert ended(db, job)[0] == "done"
    assert 0 <= db.value("select extract(epoch from started_at - fire_at)::float8 from pgtq.jobs where id = %s", job) < 5


def test_timeout(db):
    assert ended(db, submit(db, "select pg_sleep(600)", timeout_ms=200))[:3] == \
        ("failed", "57014", "canceling statement due to statement timeout")


def test_timeout_of_several_statements(db):
    assert ended(db, submit(db, "select pg_sleep(0.2);" * 100, timeout_ms=1000))[:2] == ("failed", "57014")


def test_timeout_that_is_caught(db):
    """The session is ended a while later, and nobody knows how far the job came."""
    job = submit(db, "do $$ begin loop begin perform pg_sleep(600); exception when query_canceled then null; end; end loop; end $$",
                 timeout_ms=200)
    assert ended(db, job, 30)[:2] == ("failed", "08006")


def test_expires(db):
    """Behind a job that takes long, in a group of one."""
    first = submit(db, "select pg_sleep(600)", job_group="g", group_limit=1)
    is_running(db, first)
    second = submit(db, "insert into app.log (what) values ('x')", job_group="g", group_limit=1, expires_in="0.2 s")
    eventually(lambda: db.value("select clock_timestamp() > expires_at from pgtq.jobs where id = %s", second))
    db.rows("select pgtq.cancel_running(%s)", first)
    assert ended(db, second)[0] == "expired"
    assert logged(db) == []


def test_retries(db):
    db.psql("create sequence app.tries")
    job = submit(db, "select 1 / (nextval('app.tries') / 3)", max_attempts=5, backoff="0.1 s")
    assert ended(db, job)[0] == "done"
    assert db.rows("select attempt, state, sqlstate from pgtq.attempts where id = %s order by 1", job) == \
        [(1, "retried", "22012"), (2, "retried", "22012"), (3, "fired", None)]
    job = submit(db, "select 1/0", max_attempts=2, backoff="0.1 s")
    assert ended(db, job)[:2] == ("failed", "22012")
    assert db.value("select attempts from pgtq.jobs where id = %s", job) == 2


def most_at_once(db, group):
    """From the times in the history, how many ran at one time."""
    return db.value("""
        select max((select count(*) from pgtq.jobs b where b.job_group = %s
                     and b.started_at <= a.started_at and b.finished_at > a.started_at))
          from pgtq.jobs a where a.job_group = %s""", group, group)


def test_group_limit(db):
    jobs = [submit(db, "select pg_sleep(0.1)", job_group="one", group_limit=1) for _ in range(5)]
    for job in jobs:
        assert ended(db, job)[0] == "done"
    assert most_at_once(db, "one") == 1
    starts = [row[0] for row in db.rows("select id from pgtq.jobs where job_group = 'one' order by started_at")]
    assert starts == jobs


def test_group_pause(db):
    jobs = [submit(db, "select 1", job_group="p", group_pause="0.5 s") for _ in range(3)]
    for job in jobs:
        assert ended(db, job)[0] == "done"
    assert db.value("""select min(gap) >= interval '0.5 s' from (
        select started_at - lag(finished_at) over (order by started_at) as gap from pgtq.jobs where job_group = 'p') g""")


def test_priority(db):
    first = submit(db, "select pg_sleep(600)", job_group="g", group_limit=1)
    is_running(db, first)
    jobs = [submit(db, "select 1", job_group="g", group_limit=1, priority=p) for p in (0, 2, 1)]
    db.rows("select pgtq.cancel_running(%s)", first)
    for job in jobs:
        ended(db, job)
    order = [row[0] for row in db.rows("select id from pgtq.jobs where id = any (%s) order by started_at", jobs)]
    assert order == [jobs[1], jobs[2], jobs[0]]


def test_groups_are_of_a_role(db):
    """Nobody can stop another's jobs by a group of the same name."""
    with role(db, "bob"):
        is_running(db, submit(db, "select pg_sleep(600)", job_group="g", group_limit=1))
        assert ended(db, submit(db, "select 1", "bob", job_group="g", group_limit=1))[0] == "done"
        db.rows("select pgtq.cancel_running(id) from pgtq.running")


def test_one_role_cannot_have_all_sessions(db):
    """Jobs that never end leave one to others, and all of them to timers."""
    with role(db, "bob"):
        jobs = [submit(db, "select pg_sleep(600)", "bob", priority=100) for _ in range(10)]
        eventually(lambda: len(db.rows("select from pgtq.running")) == 2)
        assert ended(db, submit(db, "select 1"))[0] == "done"
        timer = db.value("select pgtq.schedule_in('0', 'select 1')")
        eventually(lambda: db.value("select state from pgtq.timers where id = %s", timer) == "fired")
        db.rows("select pgtq.cancel_job(unnest(%s::bigint[]))", jobs)
        db.rows("select pgtq.cancel_running(id) from pgtq.running")
        for job in jobs:
            ended(db, job)


def test_sessions_are_reused(db):
    """Within a role and a group, as long as asked for, and nothing is left in them."""
    jobs = [submit(db, "create temp table t (a int); set work_mem = '1MB'; select pg_advisory_lock(1)",
                   job_group="r", group_limit=1, session_life="1 hour", session_count=3) for _ in range(5)]
    for job in jobs:
        assert ended(db, job)[:3] == ("done", None, None)
    assert [row[0] for row in db.rows("select count(*) from pgtq.jobs where job_group = 'r' group by pid order by min(id)")] == [3, 2]
    other = submit(db, "select 1", job_group="s")
    ended(db, other)
    assert db.value("select count(distinct pid) from pgtq.jobs where id = any (%s)", [other, jobs[4]]) == 2


def test_sessions_that_wait_make_room(db):
    for group in "abcdef":
        assert ended(db, submit(db, "select 1", job_group=group, session_life="1 hour"))[0] == "done"


def test_session_dies(db):
    for on_crash, outcome in (("fail", ("failed", "08006")), ("retry", ("done", None))):
        db.psql("drop table if exists app.once; create table app.once (a int)")
        job = submit(db, "do $$ begin if not exists (select from app.once) then insert into app.once values (1); commit;"
                         " perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(600); end if; end $$",
                     on_crash=on_crash, max_attempts=2, backoff="0.1 s")
        assert ended(db, job)[:2] == outcome


def test_committed_late(db):
    """A transaction that submits and commits after others."""
    with db.connect(autocommit=False) as conn:
        job = conn.execute("select pgtq.submit_job('select 1')").fetchone()[0]
        other = submit(db, "select 1")
        assert ended(db, other)[0] == "done"
        assert state(db, job) is None
        conn.commit()
    assert ended(db, job)[0] == "done"


def test_rolled_back(db):
    with db.connect(autocommit=False) as conn:
        job = conn.execute("select pgtq.submit_job('select 1')").fetchone()[0]
        conn.rollback()
    ended(db, submit(db, "select 1"))
    assert state(db, job) is None


def test_cancel_that_is_open(db):
    """It neither loses the job nor stalls the others."""
    job = submit(db, "insert into app.log (what) values ('x')", at=db.value("select now() + interval '0.5 s'"))
    with db.connect(autocommit=False) as conn:
        assert conn.execute("select pgtq.cancel_job(%s)", (job,)).fetchone()[0]
        eventually(lambda: db.value("select clock_timestamp() > fire_at from pgtq.jobs where id = %s", job))
        assert ended(db, submit(db, "select 1"))[0] == "done"
        assert state(db, job) == "planned"
        conn.rollback()
    assert ended(db, job)[0] == "done"
    assert logged(db) == ["x"]


@pytest.mark.parametrize("options, action, output", CAPTURED)
def test_capture(db, options, action, output):
    assert ended(db, submit(db, action, **{"capture": "text", **options}))[3] == output


def test_what_is_cut_is_said(db):
    job = submit(db, "select repeat('x', 1000)", capture="text", output_limit=100)
    assert ended(db, job)[3] is None
    assert db.value("select output_cut from pgtq.jobs where id = %s", job)


def test_parent_and_data(db):
    job = submit(db, "select pgtq.submit_job('select 1', data => 'child')", data="parent")
    ended(db, job)
    assert eventually(lambda: db.rows("select parent, data from pgtq.jobs where parent is not null and state = 'done'")) == [(job, "child")]


def test_timers_do_not_show_jobs(db):
    job = submit(db, "select 1/0")
    ended(db, job)
    assert db.rows("select from pgtq.timers where id = %s", job) == []
    assert db.rows("select from pgtq.dead_letters where id = %s", job) == []
    assert db.value("select pgtq.replay(%s)", job) is None


def test_nobody_sees_or_changes_anothers(db):
    with role(db, "bob"), role(db, "eve"):
        waits = submit(db, "select 'secret'", "bob", at=db.value("select now() + interval '1 hour'"))
        runs = submit(db, "select pg_sleep(600)", "bob")
        done = submit(db, "select 'secret' as a", "bob", capture="text")
        ended(db, done)
        is_running(db, runs)
        with db.connect(user="eve") as conn:
            assert conn.execute("select count(*) from pgtq.jobs").fetchone() == (0,)
            for sql, job in (("select pgtq.cancel_job(%s)", waits), ("select pgtq.cancel_running(%s)", runs)):
                with pytest.raises(Exception, match="permission denied"):
                    conn.execute(sql, (job,))
            for sql in ("select * from pgtq.job", "update pgtq.job set jo_role = 10", "delete from pgtq.job",
                        "select pgtq._advance_job(%s, 2, 1)", "select pgtq._lost_job(%s)", "select pgtq._fail_job(%s, '', '')"):
                with pytest.raises(Exception, match="permission denied"):
                    conn.execute(sql.replace("%s", str(waits)))
            # an owner cannot be forged, whatever is given
            conn.execute("insert into pgtq.request (op, role, job) select 'submit_job', 10, r.job from (select"
                         " (null, null, 'x', 10, 2, null, now(), null, 7, 1, '1 s', 'fail', null, 'g', null, null, 0, null, null, null,"
                         " 65536, true, ',', '', '', '', true, null, null, null, null, 1, now(), null, 'insert into app.log (what) values (1)')"
                         "::pgtq.job as job) r")
        eventually(lambda: db.rows("select who from app.log"))
        assert db.rows("select who, session from app.log") == [("eve", "eve")]
        db.rows("select pgtq.cancel_running(%s)", runs)
        db.rows("select pgtq.cancel_job(%s)", waits)


@pytest.mark.parametrize("settings", [
    "default_transaction_read_only = on", "default_transaction_isolation = 'serializable'",
    "search_path = app", "enable_indexscan = off", "statement_timeout = '1ms'"])
def test_settings_of_the_role(db, settings):
    """They have no part in the bookkeeping."""
    with role(db, "bob"):
        with db.connect(user="bob") as conn:
            db.psql(f"alter role bob set {settings}")
            job = conn.execute("select pgtq.submit_job('select 1')").fetchone()[0]
        assert ended(db, job)[0] == "done"


def test_sessions_that_do_not_start(db):
    """After three tries it has failed."""
    with role(db, "bob"):
        job = submit(db, "select 1", "bob", at=db.value("select now() + interval '1 s'"))
        db.psql("alter role bob set session_preload_libraries = 'there_is_no_such_library'")
        assert ended(db, job)[:2] == ("failed", "08004")


def test_dropped_role(db):
    db.psql("create role gone login; grant pgtq_writer to gone")
    job = submit(db, "select 1", "gone", at=db.value("select now() + interval '1 s'"))
    db.psql("drop role gone")
    assert ended(db, job)[:2] == ("failed", "28000")


def test_run_jobs_is_refused(db):
    with pytest.raises(Exception, match="job worker runs"):
        with db.connect() as conn:
            conn.execute("call pgtq.run_jobs()")
