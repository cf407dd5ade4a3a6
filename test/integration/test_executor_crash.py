"""Exactly once, whatever dies.

Timers append their ids to a table, while sessions, executor, ticker and postmaster are killed. At
the end each id is there once, and the history agrees. PGTQ_TORTURE=full is 100,000 timers and 50
kills; else it takes seconds.
"""

import os
import random
import signal
import time

import psycopg
import pytest
from server import eventually

FULL = os.environ.get("PGTQ_TORTURE") == "full"
TIMERS, KILLS = (100_000, 50) if FULL else (6_000, 8)

VICTIM = "select pid from pg_stat_activity where backend_type = %s order by random() limit 1"


@pytest.fixture
def db(workspace):
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=20,
                          synchronous_commit="on") as server:
        db = server.create_db()
        db.psql("create table done (id bigint)")
        yield db


def alive(db):
    """Is the server there?  After a crash it recovers by itself."""
    try:
        return db.value("select true")
    except psycopg.Error:
        return False


def kill_something(db):
    what = random.choice(["pgtq session"] * 3 + ["pgtq executor", "pgtq ticker", "postmaster", "terminate"])
    if what == "postmaster":
        db.server.crash()
        db.server.start()
        return
    try:
        if what == "terminate":
            db.rows("select pg_terminate_backend(pid) from pg_stat_activity"
                    " where backend_type in ('pgtq session', 'pgtq executor')")
            return
        rows = db.rows(VICTIM, what)
    except psycopg.Error:
        return
    if rows:
        try:
            os.kill(rows[0][0], signal.SIGKILL)
        except ProcessLookupError:
            return
    eventually(lambda: alive(db), 60)


def counts(db):
    try:
        return db.rows("select count(*), count(distinct id) from done")[0]
    except psycopg.Error:
        return None


@pytest.mark.parametrize("history", ["all", "off"])
def test_exactly_once(db, history):
    random.seed(TIMERS)
    db.psql(f"alter database {db.name} set pgtq.history = '{history}'")
    due = TIMERS / 10_000 + 1
    for _ in range(10):
        db.rows("""
            select pgtq.schedule_many(array_agg(now() + random() * %s * interval '1 s'),
                   array_agg('insert into done values (pgtq.current_timer()); select pg_sleep(0.0005)'::text))
              from generate_series(1, %s)""", due, TIMERS // 10)
    for _ in range(KILLS):
        time.sleep(random.random() * (1.0 if FULL else 0.5))
        kill_something(db)
    eventually(lambda: (counts(db) or (0, 0))[1] >= TIMERS, 900 if FULL else 90, 0.2)
    assert counts(db) == (TIMERS, TIMERS)
    if history == "all":
        eventually(lambda: db.value("select count(*) from pgtq.history where hi_status = 1") >= TIMERS)
        assert db.rows("select hi_status, count(*), count(distinct hi_timer) from pgtq.history group by 1") \
            == [(1, TIMERS, TIMERS)]
    # and the position is past it all
    eventually(lambda: db.value("""
        select s.sub_last_tick >= (select max(dn_tick) from pgtq.done)
          from pgtq.subscription s join pgtq.queue q on q.queue_executor = s.sub_id"""))


def test_poison_that_crashes_the_server(workspace):
    """It is found although nobody is left to tell; its neighbours run once."""
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=20) as server:
        db = server.create_db()
        db.psql("create table done (id bigint)")
        crash = "copy (select 1) to program 'kill -9 $PPID'"        # the session, and so the server
        with db.connect() as conn:
            ids = conn.execute("select pgtq.schedule_many(array_fill(now() + interval '0.5 s', array[5]), %s)",
                               (["insert into done values (1)", "insert into done values (2)", crash,
                                 "insert into done values (3)", "insert into done values (4)"],)).fetchone()[0]

        def failed():
            try:
                return db.rows("select from pgtq.history where hi_timer = %s and hi_status = 2", ids[2])
            except psycopg.Error:
                return False
        eventually(failed, 60, 0.2)
        assert sorted(r[0] for r in db.rows("select id from done")) == [1, 2, 3, 4]
