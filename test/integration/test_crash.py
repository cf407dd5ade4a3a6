"""Crashes: what was acknowledged is delivered once, and a batch that was seen does not change."""

import random
import threading
import time
from collections import Counter

import psycopg
import pytest
from server import eventually

CRASHES = 4


@pytest.fixture
def crashing(workspace, build):
    """A database of its own server, that can be crashed."""
    # no background process flushes the log for us
    with workspace.server(wal_writer_delay="10s", synchronous_commit="on",
                          autovacuum="off") as server:
        db = server.create_db(build=build)
        db.psql("""
            select pgtq.create_queue('q');
            select pgtq.set_queue_config('q', 'ticker_max_lag', '0');
            select pgtq.set_queue_config('q', 'ticker_idle_period', '0');
            select pgtq.set_queue_config('q', 'rotation_period', '0');
            select pgtq.register_consumer('q', 'one'), pgtq.register_consumer('q', 'two');
        """)
        yield db


class Client(threading.Thread):
    """Calls work(conn) again and again, and connects anew after a crash."""

    def __init__(self, db, work, autocommit, options=""):
        super().__init__(daemon=True)
        self.db, self.work, self.autocommit, self.options = db, work, autocommit, options
        self.stop = threading.Event()
        self.error = None
        self.start()

    def run(self):
        while not self.stop.is_set():
            try:
                with self.db.connect(autocommit=self.autocommit, options=self.options) as conn:
                    while not self.stop.is_set():
                        self.work(conn)
            except Exception as error:
                if not is_of_a_crash(error):
                    self.error = error      # told by end()
                    return
                time.sleep(0.02)

    def end(self):
        self.stop.set()
        self.join(30)
        assert not self.is_alive()
        if self.error:
            raise self.error


def is_of_a_crash(error):
    """The server is down, has just gone, or is not up again."""
    return (isinstance(error, psycopg.OperationalError)
            and (error.sqlstate is None or error.sqlstate.startswith("57P")))


def ticks_are_in_order(db):
    return db.value("""
        select count(*) = count(distinct tick_id)
               and bool_and(pg_snapshot_xmax(tick_snapshot) >= before)
          from (select *, lag(pg_snapshot_xmax(tick_snapshot), 1, '0')
                              over (order by tick_id) as before
                  from pgtq.tick) t""")


@pytest.mark.timeout(120)
def test_acknowledged_events_are_delivered_once(crashing):
    db = crashing
    db.psql("create table seen (consumer text, batch bigint, data text)")
    acknowledged, rolled_back = set(), set()
    serial = iter(range(10**9))
    rng = random.Random(1)

    def write(conn):
        events = [f"{next(serial)}" for _ in range(rng.choice((1, 3)))]
        for data in events:
            conn.execute("select pgtq.insert_event('q', 't', %s)", (data,))
        if rng.random() < 0.1:
            rolled_back.update(events)
            conn.rollback()
        else:
            conn.commit()                   # may be lost on the way: then it is in neither set
            acknowledged.update(events)

    def tick(conn):
        conn.execute("select pgtq.ticker('q')")
        time.sleep(0.005)

    def maintain(conn):
        conn.execute("set pgtq.truncate_patience = 0")
        conn.execute("select pgtq.maint_rotate_tables_step1('q')")
        (current,) = conn.execute("select last_value from pgtq.position_cur_seq").fetchone()
        conn.execute(f"insert into pgtq.position_{current} (pos_sub, pos_n)"
                     " select 1000000, n from generate_series(1, 1500) n on conflict do nothing")
        conn.execute("select pgtq.maint_rotate_tables_step2()")
        time.sleep(0.02)

    def consume(name):
        def work(conn):
            (batch,) = conn.execute("select pgtq.next_batch('q', %s)", (name,)).fetchone()
            if batch is None:
                conn.commit()
                time.sleep(0.005)
                return
            if rng.random() < 0.5:
                conn.commit()               # open over transactions, and crashes
            conn.execute("insert into seen select %s, %s, ev_data from pgtq.get_batch_events(%s)",
                         (name, batch, batch))
            assert conn.execute("select pgtq.finish_batch(%s)", (batch,)).fetchone() == (1,)
            conn.commit()
        return work

    with db.connect(autocommit=False) as conn:
        conn.execute("select pgtq.insert_event('q', 't', 'prepared')")
        conn.execute("prepare transaction 'crash'")

    writers = [Client(db, write, autocommit=False) for _ in range(2)]
    others = [Client(db, tick, True, "-c synchronous_commit=off"), Client(db, maintain, True),
              Client(db, consume("one"), False), Client(db, consume("two"), False)]
    for crash in range(1, CRASHES + 1):
        goal = 150 * crash
        eventually(lambda: len(acknowledged) >= goal)
        db.server.crash()
        db.server.start()
        assert ticks_are_in_order(db)
        if crash == 2:
            db.rows("commit prepared 'crash'")
            acknowledged.add("prepared")
    for client in writers:
        client.end()
    db.rows("select pgtq.insert_event('q', 't', 'last')")     # with it, all have been delivered
    acknowledged.add("last")

    def delivered(name):
        return [data for (data,) in db.rows("select data from seen where consumer = %s", name)]

    for name in ("one", "two"):
        eventually(lambda: acknowledged <= set(delivered(name)))
    eventually(lambda: db.value("select min(tick_id) > 1 from pgtq.tick"))     # truncated
    for client in others:
        client.end()
    for name in ("one", "two"):
        counts = Counter(delivered(name))
        assert not [e for e, n in counts.items() if n > 1], "delivered twice"
        assert not set(counts) & rolled_back, "delivered, but rolled back"
    # whoever committed without knowing it is delivered to both or to none
    assert set(delivered("one")) == set(delivered("two"))


@pytest.mark.parametrize("commit", [False, True], ids=["uncommitted", "committed"])
def test_batch_that_was_seen_does_not_change(crashing, commit):
    """The tick is not on disk when it is made; it is when next_batch() returns."""
    db = crashing
    expected = []

    def events(conn, batch):
        return [row[0] for row in
                conn.execute("select ev_data from pgtq.get_batch_events(%s)", (batch,))]

    for n in range(3):
        db.rows("select pgtq.insert_event('q', 't', %s)", f"before {n}")
        with db.connect(options="-c synchronous_commit=off") as conn:
            conn.execute("select pgtq.ticker('q')")
        # the same as the ticker's: whatever is safe now, next_batch() has made so
        conn = db.connect(autocommit=False, options="-c synchronous_commit=off")
        (batch,) = conn.execute("select pgtq.next_batch('q', 'one')").fetchone()
        seen = events(conn, batch)
        assert seen == [*expected, f"before {n}"]
        if commit:
            conn.execute("set synchronous_commit = on")
            conn.commit()
        db.server.crash()
        conn.close()
        db.server.start()

        # if the tick was lost, the next one sees this too
        db.rows("select pgtq.insert_event('q', 't', %s)", f"after {n}")
        db.rows("select pgtq.ticker('q')")
        with db.connect() as conn:
            (again,) = conn.execute("select pgtq.next_batch('q', 'one')").fetchone()
            if commit:
                assert again == batch
            assert events(conn, again) == seen
            assert conn.execute("select pgtq.finish_batch(%s)", (again,)).fetchone() == (1,)
            # what came after it
            (rest,) = conn.execute("select pgtq.next_batch('q', 'one')").fetchone()
            assert events(conn, rest) == [f"after {n}"]
            conn.execute("select pgtq.finish_batch(%s)", (rest,))
        assert ticks_are_in_order(db)
