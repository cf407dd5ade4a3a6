"""Timers under fire: each committed timer comes exactly once, or was cancelled, and cancel() is true.

Writers, cancellers, movers and the compactor at the same time; some of them killed. At the
end every timer that was committed is accounted for: it came once, or its cancel was
answered with true and committed.
"""

import os
import random
import threading
import time
from collections import Counter

import psycopg
import pytest
from server import eventually

ROUNDS = int(os.environ.get("PGTQ_RACES", 1000))
LEVELS = (psycopg.IsolationLevel.READ_COMMITTED, psycopg.IsolationLevel.REPEATABLE_READ,
          psycopg.IsolationLevel.SERIALIZABLE)


@pytest.fixture
def queue(db):
    db.psql("select pgtq.create_queue('q')")
    return db


def came(db):
    """How many times each timer entered the queue."""
    return Counter(dict(db.rows("select ev_timer, count(*) from pgtq.event_template group by 1")))


class Threads:
    """Bodies that run until stop; an error of one is told by end()."""

    def __init__(self):
        self.stop = threading.Event()
        self.errors, self.threads = [], []

    def start(self, body, *args):
        def run():
            try:
                body(self.stop, *args)
            except Exception as error:
                self.errors.append(error)
                self.stop.set()
        self.threads.append(threading.Thread(target=run, daemon=True))
        self.threads[-1].start()

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(60)
            assert not thread.is_alive()
        if self.errors:
            raise self.errors[0]


def mover(stop, db):
    with db.connect() as conn:
        while not stop.is_set():
            conn.execute("select * from pgtq._move_due(%s)", (random.choice((1, 5, 1000)),))


def compactor(stop, db, patience="0"):
    """Copies generations that are by no means half dead, all the time."""
    with db.connect() as conn:
        conn.execute(f"set pgtq.truncate_patience = '{patience}'")
        while not stop.is_set():
            conn.execute("do $$ begin if not exists (select from pgtq.generation where gen_state = 'draining')"
                         " and pgtq._leave_generation() then update pgtq.generation"
                         " set gen_state = 'draining', gen_block = 0"
                         " where gen_state = 'open' and gen_n <> (select last_value from pgtq.delay_cur_seq); end if; end $$")
            conn.execute("select pgtq.maint_rotate_tables_step2()")


def test_cancel_races_the_mover(queue):
    """Never both true and fired, never false and not fired, never twice."""
    threads = Threads()
    threads.start(mover, queue)
    threads.start(compactor, queue)
    answers = {}
    failures = 0
    with queue.connect() as conn:
        for n in range(ROUNDS):
            (timer,) = conn.execute("select pgtq.insert_event_in('q', %s * interval '1 microsecond', 't', 'd')",
                                    (random.randrange(0, 3000),)).fetchone()
            time.sleep(random.random() * 0.003)
            conn.isolation_level = LEVELS[n % 3]
            try:
                (answers[timer],) = conn.execute("select pgtq.cancel(%s)", (timer,)).fetchone()
            except psycopg.errors.SerializationFailure:
                answers[timer] = None       # not cancelled
                failures += 1
            conn.isolation_level = None
        threads.end()
        conn.execute("select * from pgtq._move_due(100000)")
    arrived = came(queue)
    assert queue.value("select count(*) from pgtq.delay") == 0
    assert {t: arrived[t] for t in answers} == {t: 0 if cancelled else 1 for t, cancelled in answers.items()}
    told = Counter(answers.values())
    assert told[True] > ROUNDS / 20 and told[False] > ROUNDS / 20, told     # else it was no race


def test_open_cancel_holds_up_nobody(queue):
    with queue.connect(autocommit=False) as conn, queue.connect() as other:
        (mine,) = other.execute("select pgtq.insert_event_in('q', '10 ms', 't', 'mine')").fetchone()
        (its,) = other.execute("select pgtq.insert_event_in('q', '10 ms', 't', 'other')").fetchone()
        assert conn.execute("select pgtq.cancel(%s)", (mine,)).fetchone() == (True,)
        eventually(lambda: other.execute("select moved from pgtq._move_due(10)").fetchone()[0] == 1)
        for _ in range(3):
            assert other.execute("select moved from pgtq._move_due(10)").fetchone() == (0,)
        conn.rollback()
        assert other.execute("select moved from pgtq._move_due(10)").fetchone() == (1,)
        assert came(queue) == {mine: 1, its: 1}


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_prepared(queue, end):
    gid = f"{queue.name} timer {end}"
    with queue.connect() as conn:
        conn.execute("begin")
        (timer,) = conn.execute("select pgtq.insert_event_in('q', '0', 't', 'd')").fetchone()
        conn.execute(f"prepare transaction '{gid}'")
        for _ in range(2):
            conn.execute("select pgtq.insert_event_in('q', '0', 't', 'other')")
            assert conn.execute("select moved from pgtq._move_due(10)").fetchone() == (1,)
        conn.execute(f"{end} prepared '{gid}'")
        assert conn.execute("select moved from pgtq._move_due(10)").fetchone() == (int(end == "commit"),)
        assert came(queue)[timer] == int(end == "commit")


def writer(stop, db, committed, cancelled, level):
    """Transactions of timers that are due soon, or late already; some roll back, some cancel."""
    rng = random.Random()
    with db.connect(autocommit=False) as conn:
        conn.isolation_level = level
        while not stop.is_set():
            new, gone = [], []
            try:
                for _ in range(rng.randrange(1, 4)):
                    (timer,) = conn.execute(
                        "select pgtq.insert_event_in('q', %s * interval '1 ms', 't', 'd')",
                        (rng.randrange(-50, 50),)).fetchone()
                    new.append(timer)
                    if rng.random() < 0.2:
                        conn.execute("savepoint s")
                        conn.execute("select pgtq.insert_event_in('q', '0', 't', 'undone')")
                        conn.execute("rollback to s")
                if rng.random() < 0.3:
                    time.sleep(rng.random() * 0.02)
                if committed and rng.random() < 0.5:
                    target = rng.choice(committed[-20:])
                    if conn.execute("select pgtq.cancel(%s)", (target,)).fetchone()[0]:
                        gone.append(target)
                if rng.random() < 0.2:
                    conn.rollback()
                else:
                    conn.commit()
                    committed += new
                    cancelled += gone
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                conn.rollback()


@pytest.mark.timeout(120)
def test_nothing_is_lost_or_doubled(queue):
    """Movers and the compactor are killed in the middle, again and again."""
    committed, cancelled = [], []
    threads = Threads()
    for level in LEVELS:
        threads.start(writer, queue, committed, cancelled, level)
    deadline = time.monotonic() + float(os.environ.get("PGTQ_SECONDS", 6))
    rounds = 0
    while time.monotonic() < deadline and not threads.errors:
        workers = Threads()
        for body in (mover, mover, compactor):
            workers.start(body_until_killed, body, queue)
        time.sleep(0.3)
        with queue.connect() as conn:
            conn.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                         " where datname = current_database() and pid <> pg_backend_pid()"
                         " and query ~ '(_move_due|rotate_tables|_leave_generation)'")
        workers.end()
        rounds += 1
    threads.end()
    with queue.connect() as conn:
        time.sleep(0.1)
        while conn.execute("select moved from pgtq._move_due(1000)").fetchone()[0]:
            pass
    assert rounds > 3 and len(committed) > 100
    arrived = came(queue)
    assert queue.value("select count(*) from pgtq.delay") == 0
    gone = set(cancelled)
    assert {t: arrived[t] for t in committed} == {t: 0 if t in gone else 1 for t in committed}
    assert set(arrived) <= set(committed)


def body_until_killed(stop, body, db):
    try:
        body(stop, db)
    except psycopg.errors.AdminShutdown:
        pass
    except psycopg.OperationalError as error:
        if error.sqlstate is not None:
            raise


@pytest.mark.timeout(120)
def test_dump_under_load(queue, workspace):
    """Every timer that is pending at the dump's snapshot is in the dump, though all are being copied."""
    ids = set()
    with queue.connect() as conn:
        for _ in range(20):
            ids |= {row[0] for row in conn.execute(
                "select pgtq.insert_event_in('q', '1 hour', 't', 'far') from generate_series(1, 100)")}
    columns = queue.value("select count(*) from pg_attribute where attrelid = 'pgtq.delay'::regclass and attnum > 0")
    threads = Threads()
    threads.start(compactor, queue, "10 min")       # a dump's snapshot is older than its locks
    threads.start(short_timers, queue)
    threads.start(mover, queue)
    try:
        for n in range(4):
            file = workspace.path / f"load_{queue.name}_{n}"
            workspace.run("pg_dump", "-d", queue.conninfo(), "-f", file)
            with open(file) as dump:
                far = [line.split("\t")[11] for line in dump if line.count("\t") == columns - 1 and "\tfar\t" in line]
            assert Counter(far) == Counter(map(str, ids))
    finally:
        threads.end()
    assert {row[0] for row in queue.rows("select ev_timer from pgtq.delay where ev_data = 'far'")} == ids


def short_timers(stop, db):
    with db.connect() as conn:
        while not stop.is_set():
            conn.execute("select pgtq.insert_event_in('q', '1 ms', 't', 'near') from generate_series(1, 20)")
