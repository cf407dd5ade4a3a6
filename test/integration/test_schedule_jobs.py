"""Schedules whose runs are jobs, with workers: what needs a session of its own, again and again."""

import datetime as dt
import os
import random
import signal

import psycopg
import pytest
from server import eventually
from test_executor_crash import kill_something
from test_schedules import every, ran, state
from timers import GRANTS, role

RUNS = 8
SCHEDULES = 6


@pytest.fixture
def app(ticking):
    ticking.psql(GRANTS)
    yield ticking
    ticking.rows("select pgtq.unschedule(name, owner) from pgtq.schedules")
    ticking.rows("select pgtq.cancel_job(id), pgtq.cancel_running(id) from pgtq.jobs where finished_at is null")
    eventually(lambda: not ticking.rows("select from pgtq.running"))


def runs(db, name):
    """State, SQLSTATE, start and end of each attempt that has ended."""
    return db.rows("select state, sqlstate, fired_at, finished_at from pgtq.schedule_runs where name = %s order by finished_at", name)


def running(db):
    return eventually(lambda: db.value("select (select id from pgtq.jobs where state = 'running' and schedule is not null)"), 20)


def test_vacuum_every_second(app):
    """What cannot run in a transaction; as the owner, and on time."""
    with role(app, f"{app.name}_bob") as bob:
        app.psql(f"create table app.mine (a int); alter table app.mine owner to {bob}")
        every(app, "vacuum", "1 s", "vacuum app.mine", user=bob, job=True)
        eventually(lambda: len(runs(app, "vacuum")) >= 2, 20)
        assert {row[:2] for row in runs(app, "vacuum")} == {("fired", None)}
        assert app.value("select bool_and(submitted_by = %s and started_at >= fire_at) from pgtq.jobs where schedule = 'vacuum'", bob)
        times = [row[0] for row in app.rows("select fire_at from pgtq.schedule_runs where name = 'vacuum' order by 1")]
        assert all((b - a) % dt.timedelta(seconds=1) == dt.timedelta(0) for a, b in zip(times, times[1:]))
        app.psql(f"select pgtq.unschedule('vacuum', '{bob}')")


def test_commits_in_a_call(app):
    app.psql("create procedure app.commits() language plpgsql as"
             " $$ begin insert into app.log (what) values ('a'); commit; perform 1/0; end $$")
    every(app, "half", "200 ms", "call app.commits()", job=True, max_runs=2)
    eventually(lambda: state(app, "half") == "finished", 20)
    assert [row[:2] for row in runs(app, "half")] == [("failed", "22012")] * 2
    assert app.value("select failures_in_a_row from pgtq.schedules") == 2
    assert app.value("select count(*) from app.log") == 2


@pytest.mark.parametrize("overlap", ["skip", "allow"])
def test_overlap_of_a_long_job(app, overlap):
    every(app, "long", "100 ms", "select pg_sleep(0.4)", job=True, overlap=overlap)
    eventually(lambda: len(runs(app, "long")) >= 4, 20)
    spans = [row[2:] for row in runs(app, "long")]
    together = sum(a[1] > b[0] and b[1] > a[0] for n, a in enumerate(spans) for b in spans[n + 1:])
    assert together == 0 if overlap == "skip" else together > 0


def test_options(app):
    """What submit_job() takes: a group of one, of all that the schedule has, and what is captured."""
    every(app, "grouped", "100 ms", "select 7 as a; select pg_sleep(0.3) where false", job=True, overlap="allow", max_runs=4,
          job_options='{"job_group": "one", "group_limit": 1, "capture": "json", "data": "mine"}')
    eventually(lambda: state(app, "grouped") == "finished" and len(runs(app, "grouped")) == 4, 20)
    spans = [row[2:] for row in runs(app, "grouped")]
    assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:]))
    assert app.rows("select distinct job_group, output, data, state from pgtq.jobs") == [("one", '[[{"a":7}],[]]', "mine", "done")]


def test_ended_while_it_runs(app):
    """It ends as it began; nothing comes after it."""
    every(app, "ends", "100 ms", "select pg_sleep(600)", job=True)
    job = running(app)
    assert "a run of schedule ends, runs in process" in app.value("select pgtq.why(%s)", job)
    assert app.value("select pgtq.unschedule('ends')")
    assert app.value("select state from pgtq.jobs where id = %s", job) == "running"
    app.rows("select pgtq.cancel_running(%s)", job)
    eventually(lambda: app.value("select state from pgtq.jobs where id = %s", job) == "failed", 20)
    assert app.value("select count(*) from pgtq.delay") == 0


def test_cancelled_while_it_runs(app):
    """The run has failed, and the schedule goes on."""
    every(app, "again", "100 ms", "select pg_sleep(600)", job=True)
    job = running(app)
    app.rows("select pgtq.cancel_running(%s)", job)
    eventually(lambda: running(app) != job, 20)
    assert runs(app, "again")[0][:2] == ("failed", "57014")


def test_ends_its_own_schedule(app):
    every(app, "once", "100 ms", "insert into app.log (what) values ('once'); select pgtq.unschedule('once')", job=True)
    eventually(lambda: app.value("select count(*) from pgtq.schedules") == 0, 20)
    eventually(lambda: app.value("select count(*) from pgtq.job") == 0, 20)
    assert app.value("select count(*) from app.log") == 1
    assert app.value("select count(*) from pgtq.delay") == 0


def test_owner_is_dropped(app):
    """While its job waits in a group: that fails, and the schedule has stopped."""
    carl = f"{app.name}_carl"
    app.psql(f"create role {carl} login; grant pgtq_writer to {carl}")
    every(app, "orphan", "100 ms", "select 1", user=carl, job=True, job_options='{"group_pause": "1 s"}')
    eventually(lambda: app.rows("select from pgtq.jobs where schedule = 'orphan' and state = 'planned'")
               and app.rows("select from pgtq.schedule_runs where name = 'orphan'"), 20)
    app.psql(f"drop role {carl}")
    eventually(lambda: state(app, "orphan") == "broken", 20)
    assert app.value("select last_error from pgtq.schedules where name = 'orphan'") == "the role that owns it does not exist any more"
    app.psql("delete from pgtq.schedule")


@pytest.mark.parametrize("on_crash, outcome", [("fail", [("failed", "08006")]), ("retry", [("retried", "08006"), ("fired", None)])])
def test_crash_while_it_runs(workspace, on_crash, outcome):
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=20) as server:
        db = server.create_db()
        db.psql("create table ran (name text, timer bigint)")
        every(db, "c", "1 hour", "do $$ begin if exists (select from ran) then return; end if; insert into ran values ('c', pgtq.current_timer());"
              " commit; perform pg_sleep(600); end $$", job=True, max_attempts=2, backoff="100 ms", job_options=f'{{"on_crash": "{on_crash}"}}')
        db.rows("select pgtq.run_now('c')")
        eventually(lambda: ran(db) == 1, 20)
        assert state(db, "c") == "running"
        server.crash()
        server.start()

        def waits():
            try:
                return state(db, "c") == "waiting"
            except psycopg.Error:
                return False
        eventually(waits, 60)
        assert [row[:2] for row in runs(db, "c")] == outcome
        assert db.rows("select (ev_run).n from pgtq.delay") == [(2,)]


@pytest.mark.parametrize("overlap", ["skip", "allow"])
def test_neither_breaks_nor_doubles(workspace, overlap):
    """Each of some schedules has as many runs as it is to have, while all sorts of processes are killed."""
    random.seed(RUNS)
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=20) as server:
        db = server.create_db()
        db.psql("create table ran (name text, timer bigint)")
        for n in range(SCHEDULES):
            every(db, f"s{n}", f"{100 + 10 * n} ms", f"insert into ran values ('s{n}', pgtq.current_timer())", overlap=overlap, job=True,
                  catch_up="all", max_runs=RUNS, max_attempts=50, backoff="1 ms", job_options='{"on_crash": "retry", "session_life": "1 min"}')
        for n in range(4):
            before = ran(db)
            eventually(lambda: ran(db) > before or done(db), 60, 0.05)
            if n % 2:
                kill_something(db)
            else:
                kill_job_worker(db)
        eventually(lambda: done(db), 120, 0.2)
        # a job whose session was lost may have run, and runs again: each of its attempts is in the history
        assert db.rows("select name, count(distinct id) from pgtq.schedule_runs where state = 'fired' group by 1 order by 1") == \
            [(f"s{n}", RUNS) for n in range(SCHEDULES)]
        assert db.value("select bool_and(n between 1 and attempts) from (select id, count(*) as attempts,"
                        " (select count(*) from ran where timer = id) as n from pgtq.schedule_runs group by 1) x")
        assert db.value("select (select count(*) from pgtq.delay) + (select count(*) from pgtq.job)") == 0


def kill_job_worker(db):
    try:
        for (pid,) in db.rows("select pid from pgtq._job_worker() where pid is not null"):
            os.kill(pid, signal.SIGKILL)
    except (psycopg.Error, ProcessLookupError):
        pass


def done(db):
    try:
        return db.value("select bool_and(state = 'finished') and (select count(*) from pgtq.job) = 0 from pgtq.schedules")
    except psycopg.Error:
        return False
