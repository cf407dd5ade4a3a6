"""Everything at once: writers of all kinds, tickers, rotation, a position log that turns, consumers.

Each committed event is delivered exactly once to each consumer, and in order; no other is.
"""

import os
import random
import threading
import time
from collections import Counter

import psycopg
import pytest

TRANSACTIONS = 220          # of each writer
LEVELS = (psycopg.IsolationLevel.READ_COMMITTED, psycopg.IsolationLevel.REPEATABLE_READ,
          psycopg.IsolationLevel.SERIALIZABLE)


class Run:
    """The threads of one test: the first error of any ends them all."""

    def __init__(self, db, seed):
        self.db = db
        self.seed = seed
        self.stop = threading.Event()       # of those that run as long as there is work
        self.failed = threading.Event()
        self.errors = []
        self.threads = []

    def start(self, body, *args):
        def run():
            try:
                body(self, random.Random(f"{self.seed} {body.__name__} {args}"), *args)
            except Exception as error:      # told by the main thread
                self.errors.append(error)
                self.failed.set()

        thread = threading.Thread(target=run, name=body.__name__, daemon=True)
        thread.start()
        self.threads.append(thread)
        return thread

    def goes_on(self):
        return not self.stop.is_set() and not self.failed.is_set()

    def join(self, threads):
        deadline = time.monotonic() + 90
        for thread in threads:
            thread.join(max(0, deadline - time.monotonic()))
            assert self.errors or not thread.is_alive(), f"{thread.name} does not end"
        if self.errors:
            raise self.errors[0]


def writer(run, rng, number, level, committed, aborted):
    """Transactions of a few events, some in savepoints, some rolled back, some slow."""
    serial = 0
    with run.db.connect(autocommit=False) as conn:
        conn.isolation_level = level
        for _ in range(TRANSACTIONS):
            if run.failed.is_set():
                return
            kept, lost = [], []
            try:
                for _ in range(rng.choice((1, 1, 2, 5))):
                    serial += 1
                    data = f"{number}:{serial}"
                    if rng.random() < 0.3:
                        conn.execute("savepoint s")
                        insert(conn, data)
                        if rng.random() < 0.4:
                            conn.execute("rollback to s")
                            lost.append(data)
                            continue
                        if rng.random() < 0.5:
                            conn.execute("release s")
                    else:
                        insert(conn, data)
                    kept.append(data)
                    if rng.random() < 0.04:
                        time.sleep(rng.random() * 0.3)      # rotations pass by
                if rng.random() < 0.15:
                    conn.rollback()
                    lost, kept = lost + kept, []
                else:
                    conn.commit()
            except psycopg.errors.SerializationFailure:
                conn.rollback()
                lost, kept = lost + kept, []
            committed += kept
            aborted += lost


def insert(conn, data):
    conn.execute("select pgtq.insert_event('q', 't', %s)", (data,))


def ticker(run, rng, number):
    with run.db.connect() as conn:
        while run.goes_on():
            conn.execute("select pgtq.ticker('q')")
            time.sleep(rng.random() * 0.02)


def rotator(run, rng):
    """Rotates all the time, which a period of 0 allows, and turns the position log."""
    with run.db.connect() as conn:
        conn.execute("set pgtq.truncate_patience = 0")
        while run.goes_on():
            while conn.execute("select pgtq.maint_rotate_tables_step1('q')").fetchone()[0]:
                pass
            # the log turns when it has 64 kB: those of a consumer that is gone
            (current,) = conn.execute("select last_value from pgtq.position_cur_seq").fetchone()
            conn.execute(f"insert into pgtq.position_{current} (pos_sub, pos_n)"
                         " select 1000000, n from generate_series(1, 1500) n on conflict do nothing")
            conn.execute("select pgtq.maint_rotate_tables_step2()")
            time.sleep(rng.random() * 0.05)


def consumer(run, rng, name, batches):
    """Reads batch after batch; what counts is what it commits together with finish_batch."""
    with run.db.connect(autocommit=False) as conn:
        while not run.failed.is_set():
            conn.isolation_level = rng.choice(LEVELS[:2])
            last = run.stop.is_set()        # asked before, as a tick may come in between
            try:
                batch = read_batch(conn, name)
                if batch is not None and rng.random() < 0.1:
                    conn.rollback()         # comes again
                    continue
                conn.commit()
            except psycopg.errors.SerializationFailure:
                conn.rollback()
                continue
            if batch is not None:
                batches.append(batch)
            elif last:
                return
            else:
                time.sleep(0.005)


def read_batch(conn, name):
    (batch,) = conn.execute("select pgtq.next_batch('q', %s)", (name,)).fetchone()
    if batch is None:
        return None
    events = conn.execute("select ev_id, ev_data from pgtq.get_batch_events(%s)", (batch,)).fetchall()
    assert conn.execute("select pgtq.finish_batch(%s)", (batch,)).fetchone() == (1,)
    return events


@pytest.mark.timeout(150)
def test_every_committed_event_exactly_once(db):
    seed = os.environ.get("PGTQ_SEED") or random.randrange(10**9)
    print(f"PGTQ_SEED={seed}")
    try:
        everything_at_once(db, seed)
    except Exception as error:
        raise AssertionError(f"{error}\nrepeat it with PGTQ_SEED={seed}") from error


def everything_at_once(db, seed):
    db.psql("""
        select pgtq.create_queue('q');
        select pgtq.set_queue_config('q', 'ticker_max_lag', '0');
        select pgtq.set_queue_config('q', 'ticker_idle_period', '0');
        select pgtq.set_queue_config('q', 'rotation_period', '0');
        select pgtq.register_consumer('q', 'one'), pgtq.register_consumer('q', 'two');
    """)
    run = Run(db, seed)
    committed, aborted, delivered = [], [], {"one": [], "two": []}

    writers = [run.start(writer, n, level, committed, aborted)
               for n, level in enumerate((*LEVELS, LEVELS[0], LEVELS[1]))]
    background = [run.start(ticker, 1), run.start(ticker, 2), run.start(rotator)]
    readers = [run.start(consumer, name, batches) for name, batches in delivered.items()]
    try:
        run.join(writers)
        db.rows("select pgtq.ticker('q')")      # sees everything
    finally:
        run.stop.set()
    run.join(background + readers)

    assert committed and aborted
    for name, batches in delivered.items():
        for batch in batches:
            ids = [ev_id for ev_id, _ in batch]
            assert ids == sorted(ids), f"{name}: a batch out of order"
        events = [data for batch in batches for _, data in batch]
        counts = Counter(events)
        assert not [e for e, n in counts.items() if n > 1], f"{name}: delivered twice"
        assert not set(aborted) & set(events), f"{name}: delivered, but rolled back"
        assert set(committed) == set(events), f"{name}: lost"
        # a writer's transactions follow one another, and so do their events
        for number in range(len(writers)):
            serials = [int(e.split(":")[1]) for e in events if e.startswith(f"{number}:")]
            assert serials == sorted(serials), f"{name}: writer {number} out of order"

    # it did turn, and gave back what it used
    assert db.value("select min(tick_id) > 1 from pgtq.tick"), "nothing was truncated"
    assert db.value("select max(pos_n) > min(pos_n) from pgtq.position where pos_sub < 1000000")
