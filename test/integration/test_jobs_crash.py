"""Jobs and what can happen to a server: crashes, copies, missing worker slots, old snapshots."""

import os
import signal

import psycopg
import pytest
from jobs import ended, is_running, state, submit
from server import eventually


@pytest.fixture
def db(workspace):
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=20, max_prepared_transactions=2) as server:
        db = server.create_db()
        db.psql("create table done (id bigint)")
        yield db


MARKED = "insert into done values (pgtq.current_timer()); select pg_sleep(600)"
SECOND_TIME = ("do $$ begin if exists (select from done where id = pgtq.current_timer()) then return; end if;"
               " insert into done values (pgtq.current_timer()); commit; perform pg_sleep(600); end $$")


@pytest.mark.parametrize("how", ["server", "worker", "terminate", "session"])
def test_lost_while_running(db, how):
    """Reported or run again, as chosen; what waits is not touched."""
    fails = submit(db, MARKED, job_group="a")
    retries = submit(db, SECOND_TIME, job_group="b", on_crash="retry", max_attempts=2, backoff="0.1 s")
    waits = submit(db, "insert into done values (pgtq.current_timer())", job_group="c", at=db.value("select now() + interval '1 hour'"))
    for job in (fails, retries):
        is_running(db, job)
        eventually(lambda job=job: db.value("select count(*) from done where id = %s", job) == 1)
    if how == "server":
        db.server.crash()
        db.server.start()
    elif how == "worker":
        os.kill(db.value("select pid from pgtq._job_worker()"), signal.SIGKILL)
    elif how == "terminate":
        db.rows("select pg_terminate_backend(pid) from pgtq._job_worker()")
    else:
        db.rows("select pg_terminate_backend(pid) from pgtq.running")

    def both():
        try:
            return [ended(db, job, 60) for job in (fails, retries)]
        except psycopg.Error:
            return None
    results = eventually(both, 60)
    assert [r[:2] for r in results] == [("failed", "08006"), ("done", None)]
    assert db.rows("select sqlstate from pgtq.attempts where id = %s order by attempt", retries) == [("08006",), (None,)]
    assert state(db, waits) == "planned"
    assert db.rows("select id, count(*) from done group by 1 order by 1") == [(fails, 1), (retries, 1)]


def test_done_stays_done(db):
    """Killed again and again, each job that is done has run as often as its attempts say."""
    ids = [submit(db, "insert into done values (pgtq.current_timer())", job_group="g", session_life="1 hour",
                  on_crash="retry", max_attempts=100, backoff="0") for _ in range(30)]
    for _ in range(3):
        eventually(lambda: db.value("select count(*) from pgtq.job where jo_state = 2") or not db.value("select count(*) from pgtq.job"), 20)
        db.server.crash()
        db.server.start()
    for job in ids:
        assert ended(db, job, 60)[0] == "done"
    assert db.value("select bool_and(n between 1 and attempts) from (select j.id, j.attempts, count(d.id) as n"
                    " from pgtq.jobs j left join done d using (id) group by 1, 2) x")


def test_prepared(db):
    with db.connect(autocommit=False) as conn:
        job = conn.execute("select pgtq.submit_job('select 1')").fetchone()[0]
        conn.execute("prepare transaction 'p'")
    assert state(db, job) is None
    db.psql("commit prepared 'p'")
    assert ended(db, job)[0] == "done"


def test_pause_outlives_the_worker(db):
    first = submit(db, "select 1", job_group="p", group_pause="1 hour")
    ended(db, first)
    db.server.restart()
    second = submit(db, "select 1", job_group="p", group_pause="1 hour")
    assert ended(db, submit(db, "select 1", job_group="q"))[0] == "done"
    assert state(db, second) == "planned"
    assert "pauses for" in db.value("select pgtq.why(%s)", second)


@pytest.mark.parametrize("on_clone", ["run", "pause"])
def test_copy(db, on_clone):
    """Where it was submitted it runs; in a copy pgtq.on_clone has the say."""
    db.psql("create table log (what text)")
    server = db.server
    # of the server, so that the worker of the copy finds it so whenever it starts
    server.configure(**{"pgtq.on_clone": on_clone})
    server.reload()
    eventually(lambda: db.value("show pgtq.on_clone") == on_clone)
    job = submit(db, "insert into log values (current_database())", at=db.value("select now() + interval '3 s'"))
    db.psql(f"create database copy template {db.name}")
    with server.connect("copy") as conn:
        def there():
            return conn.execute("select state from pgtq.jobs where id = %s", (job,)).fetchone()[0]
        assert ended(db, job)[0] == "done"
        if on_clone == "pause":
            # the worker of the copy has looked at it, and left it alone
            other = conn.execute("select pgtq.submit_job('select 1')").fetchone()[0]
            eventually(lambda: conn.execute("select state from pgtq.jobs where id = %s", (other,)).fetchone()[0] == "done")
            assert there() == "planned"
            assert conn.execute("select status from pgtq.health() where name = 'jobs'").fetchone() == ("warn",)
            conn.execute("select pgtq.adopt()")
        eventually(lambda: there() == "done", 90)
        assert conn.execute("select what from log").fetchall() == [("copy",)]
    assert db.rows("select what from log") == [(db.name,)]


def test_no_worker_slots(workspace):
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=3) as server:
        db = server.create_db()
        job = submit(db, "select 1")
        assert eventually(lambda: db.rows("select status from pgtq.health() where name = 'jobs' and status <> 'ok'"), 20)
        assert state(db, job) in ("planned", "taken")
        server.configure(max_worker_processes=10)
        server.restart()
        assert ended(db, job, 30)[0] == "done"


def test_old_snapshot(db):
    """The job worker does not walk over what is dead, however long a snapshot is held."""
    def reads():
        return db.value("select sum(idx_tup_read)::bigint from pg_stat_user_indexes where indexrelname = 'job_txid_idx'")

    def run(n):
        # a worker reads all when it starts, so the others are submitted when it has
        ended(db, submit(db, "select 1"), 60)
        jobs = [submit(db, "select 1", session_life="1 hour", group_limit=1) for _ in range(n)]
        for job in jobs:
            ended(db, job, 60)
    with db.connect(autocommit=False) as conn:
        conn.execute("set transaction isolation level repeatable read")
        conn.execute("select 1")
        run(60)
        db.rows("select pg_terminate_backend(pid) from pgtq._job_worker()")     # so that it reports its statistics
        eventually(lambda: reads() is not None and reads() > 0)
        first = reads()
        run(60)
        db.rows("select pg_terminate_backend(pid) from pgtq._job_worker()")
        eventually(lambda: reads() > first)
        assert reads() - first < 3 * first + 100


def test_why(db):
    first = submit(db, "select pg_sleep(600)", job_group="g", group_limit=1)
    is_running(db, first)
    second = submit(db, "select 1/0", job_group="g", group_limit=1)
    third = submit(db, "select 1", at=db.value("select now() + interval '1 hour'"))
    assert "runs in process" in db.value("select pgtq.why(%s)", first)
    assert "waits for its group" in db.value("select pgtq.why(%s)", second)
    assert "it may begin at" in db.value("select pgtq.why(%s)", third)
    assert db.rows("select status, seen from pgtq.health() where name = 'jobs'") == [("ok", "3 are not done, of which 1 have a session")]
    db.rows("select pgtq.cancel_running(%s), pgtq.cancel_job(%s)", first, third)
    ended(db, second)
    assert "division by zero (22012)" in db.value("select pgtq.why(%s)", second)
    assert "was cancelled" in db.value("select pgtq.why(%s)", third)
