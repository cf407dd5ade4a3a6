"""What goes on beside the clients: consumers, maintenance, long transactions, the loops of the PL build, and
queues and roles that come and go.

Each is a thread with a generator of its own, that connects anew after a crash.
"""

import threading
import time

import psycopg

from .clients import EXPECTED, is_of_a_crash
from .model import Timer


class Background(threading.Thread):
    """Calls work(conn) again and again."""

    user, autocommit, options = "postgres", True, ""

    def __init__(self, run, name):
        super().__init__(name=name, daemon=True)
        self.run_, self.rng = run, run.rng(name)
        self.stop, self.conn = threading.Event(), None
        self.start()

    def run(self):
        while not self.stop.is_set():
            try:
                with self.run_.connect(self.user, autocommit=self.autocommit, options=self.options) as self.conn:
                    while not self.stop.is_set():
                        self.step()
            except Exception as error:
                if not is_of_a_crash(error, self.conn):
                    return self.run_.fail(self.name, error)
                time.sleep(0.05)

    def step(self):
        try:
            self.work(self.conn)
        except EXPECTED as error:
            self.run_.log(self.name, f"{type(error).__name__}")
            if not self.autocommit:
                self.conn.rollback()

    def pause(self, seconds):
        self.stop.wait(self.rng.random() * seconds)


class Consumer(Background):
    """Notes what it reads in the transaction that finishes the batch."""

    autocommit = False

    def work(self, conn):
        conn.isolation_level = self.rng.choice((psycopg.IsolationLevel.READ_COMMITTED, psycopg.IsolationLevel.REPEATABLE_READ))
        (batch,) = conn.execute("select pgtq.next_batch('events', %s)", (self.name,)).fetchone()
        if batch is None:
            conn.commit()
            self.pause(0.05)
            return
        if self.rng.random() < 0.3:
            conn.commit()                   # open over transactions, and crashes
        events = conn.execute("insert into app.seen select %s, %s, ev_id, ev_data from pgtq.get_batch_events(%s)"
                              " returning ev_id, data", (self.name, batch, batch)).fetchall()
        for ev_id, data in events:
            if self.rng.random() < 0.08 and not self.run_.is_over():
                (new,) = conn.execute("select pgtq.event_retry(%s, %s, 0)", (batch, ev_id)).fetchone()
                if new:
                    conn.execute("insert into app.retried values (%s, %s)", (self.name, data))
                self.run_.counts["operations"] += 1
        done = conn.execute("select pgtq.finish_batch(%s)", (batch,)).fetchone()
        if done != (1,):
            raise AssertionError(f"{self.name}: batch {batch} could not be finished")
        if self.rng.random() < 0.05:
            conn.rollback()                 # comes again
            return
        conn.commit()
        self.run_.log(self.name, f"batch {batch}: {len(events)} events")
        self.run_.counts["batches"] += 1


class Maintenance(Background):
    """Rotates and compacts more often than anybody would; a ticker by hand, too."""

    options = "-c pgtq.truncate_patience=2s"

    def work(self, conn):
        what = self.rng.choice(("rotate", "rotate", "compact", "positions", "tick"))
        if what == "rotate":
            queue = self.rng.choice(("events", "timers", "more"))
            conn.execute("select pgtq.maint_rotate_tables_step1(%s)", (queue,))
        elif what == "compact":
            for _ in range(50):
                if conn.execute("select pgtq.maint_rotate_tables_step2()").fetchone() == (0,):
                    break
        elif what == "positions":           # the log turns when it has 64 kB: those of a consumer that is gone
            (current,) = conn.execute("select last_value from pgtq.position_cur_seq").fetchone()
            conn.execute(f"insert into pgtq.position_{current} (pos_sub, pos_n)"
                         " select 1000000, n from generate_series(1, 1500) n on conflict do nothing")
        else:
            conn.execute("select pgtq.ticker()")
        self.run_.counts[what] += 1
        self.pause(0.4)


class Holder(Background):
    """Long transactions: snapshots, and locks as those of pg_dump."""

    autocommit = False

    def work(self, conn):
        conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        if self.rng.random() < 0.4:
            n = self.rng.randrange(3)
            conn.execute(f"lock table pgtq.{self.rng.choice(('delay', 'event_1', 'tick_1', 'history', 'done'))}_{n} in access share mode")
        conn.execute("select count(*), pg_current_xact_id() from pgtq.delay")
        self.pause(6)
        conn.rollback()
        self.run_.counts["long transactions"] += 1
        self.pause(2)


class Loop(Background):
    """What the PL build has in place of workers."""

    def __init__(self, run, name, user, tasks):
        self.user, self.tasks = user, tasks
        super().__init__(run, name)

    def work(self, conn):
        conn.execute("call pgtq.ticker_loop(%s, '20 ms', %s)", (f"{self.rng.random() * 3:.1f} s", self.tasks))


class Admin(Background):
    """Queues and roles that come and go, with timers in them."""

    def work(self, conn):
        self.number = getattr(self, "number", 0) + 1
        name = f"brief{self.number}"
        self.run_.log(self.name, name)
        conn.execute(f"select pgtq.create_queue('{name}'), pgtq.attach_executor('{name}'), pgtq.register_consumer('{name}', 'c')")
        conn.execute(f"drop role if exists {name}")
        conn.execute(f"create role {name} login in role pgtq_writer")
        conn.execute(f"set session authorization {name}")
        for queue in (name, "timers"):
            for delay in ("0", "1 s", "1 day"):
                now = self.run_.clock()
                (id,) = conn.execute("select pgtq.schedule_in(%s::interval, %s, queue => %s)",
                                     (delay, f"select app.act('{name}')", queue)).fetchone()
                timer = Timer(id, "plain", [name], [now], name, queue=queue, shared=True, orphan=True)
                self.run_.model.commit([("scheduled", timer)])
                self.run_.counts["operations"] += 1
        conn.execute("reset session authorization")
        self.pause(2)
        if self.rng.random() < 0.5:
            conn.execute(f"select pgtq.drop_queue('{name}', true)")
            conn.execute(f"drop role {name}")
        else:
            conn.execute(f"drop role {name}")
            conn.execute(f"select pgtq.drop_queue('{name}', true)")
        self.run_.counts["queues and roles dropped"] += 1
        self.pause(3)
