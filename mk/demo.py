"""make demo: pgtq's main job, live, on a private server. BUILD=pl shows the PL build.

Every step prints the SQL it runs and what came back, and checks it: the demo
ends with code 0 only if all it shows is true.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test"))

from server import Workspace, eventually, exit_on_signals  # noqa: E402

QUEUE = "orders"
CONSUMER = "mailer"
BULK = 20000


def main():
    exit_on_signals()
    build = sys.argv[1] if len(sys.argv) > 1 else "c"
    print("Building pgtq and starting a private server ...", flush=True)
    # workers in the first database only: in the second one the demo ticks by hand
    workers = {"shared_preload_libraries": "pgtq", "pgtq.databases": "timers",
               "max_worker_processes": 16} if build == "c" else {}
    with Workspace() as ws, ws.server(**workers) as server:
        with server.create_db("timers", build, template=False).connect() as conn:
            Timers(conn, build).fire()
        db = server.create_db("demo", build, template=False)
        with db.connect() as conn:
            demo = Queues(conn)
            demo.queue_and_consumer()
            demo.events_and_a_batch()
            demo.retry()
            demo.rotation()
            demo.information()
    print("\nDone. The server and its files are gone.")


class Demo:
    """Prints what it does."""

    def __init__(self, conn):
        self.conn = conn

    def run(self, query, *parameters):
        return self.conn.execute(query, parameters).fetchall()

    def show(self, query, *parameters):
        """Prints a query as psql would be given it, runs it, prints the rows."""
        self.echo(query, *parameters)
        cursor = self.conn.execute(query, parameters)
        names = [column.name for column in cursor.description]
        rows = cursor.fetchall()
        if len(names) > 1:
            print("   " + " | ".join(names))
        for row in rows:
            print("   " + " | ".join("" if value is None else str(value) for value in row))
        sys.stdout.flush()
        return rows

    def echo(self, query, *parameters):
        literals = tuple(f"'{p}'" if isinstance(p, str) else p for p in parameters)
        print("=> " + (query % literals) + ";")

    def title(self, text):
        print(f"\n--- {text}\n")

    def say(self, text):
        print("\n" + text)

class Timers(Demo):
    """Timers are scheduled, and fire."""

    def __init__(self, conn, build):
        super().__init__(conn)
        self.build = build
        self.told = set()

    def fire(self):
        self.title("SQL that runs later, as whoever schedules it")
        self.conn.execute("create table log (at timestamptz default clock_timestamp(), what text)")
        for n in range(1, 6):
            self.show(f"select pgtq.schedule_in('{n * 400} ms', $$insert into log (what) values ('timer {n}')$$)")
        self.show("select pgtq.schedule_in('1 second', 'select 1/0', max_attempts => 2, backoff => '500 ms')")
        ((debounced,),) = self.show("select pgtq.schedule_in('1 hour', $$insert into log (what) values ('soon')$$, key => 'k')")
        self.say("With a key: the same timer, at another time. And one that will not run:")
        assert self.show("select pgtq.schedule_in('1 second', $$insert into log (what) values ('soon')$$,"
                         " key => 'k', on_conflict => 'replace')") == [(debounced,)]
        assert self.show("select pgtq.cancel(5)") == [(True,)]

        self.say("Now they come due. Late by:" if self.build == "c" else
                 "Now they come due; there is no background worker in this build, so the demo\n"
                 "calls pgtq.ticker() and pgtq.run_due() five times a second. Late by:")
        eventually(self.all_done, timeout=60, pause=0.02 if self.build == "c" else 0.2)
        self.show("select id, state, attempts, error from pgtq.timers order by id")
        assert self.run("select array_agg(what order by at) from log") == [
            (["timer 1", "timer 2", "soon", "timer 3", "timer 4"],)]
        assert self.run("select min(l.at - t.fire_at) >= '0' from log l join pgtq.timers t"
                        " on position(l.what in t.action) > 0 and t.state = 'fired'") == [(True,)]

    def all_done(self):
        """One look: tells of what is new."""
        if self.build == "pl":
            self.run("select pgtq.ticker()")
            self.run("select pgtq.ticker()")
            self.conn.execute("call pgtq.run_due()")
        rows = self.run("select id, state, extract(epoch from fired_at - fire_at) * 1000, error from pgtq.timers"
                        " where state not in ('pending', 'due') order by finished_at")
        for timer, state, late, error in rows:
            if timer not in self.told:
                self.told.add(timer)
                print(f"   timer {timer}: {state}" + (f", {late:.1f} ms late" if late is not None else "")
                      + (f" ({error})" if error else ""), flush=True)
        return len(rows) == 7


class Queues(Demo):
    """Events go in, batches come out."""

    def queue_and_consumer(self):
        self.title("A queue, and a consumer that reads it")
        self.show("select pgtq.version()")
        assert self.show("select pgtq.create_queue(%s)", QUEUE) == [(1,)]
        assert self.show("select pgtq.register_consumer(%s, %s)", QUEUE, CONSUMER) == [(1,)]

    def events_and_a_batch(self):
        self.title("Events go in, in the transaction of whoever writes them")
        for number in (1, 2, 3):
            self.show("select pgtq.insert_event(%s, 'new', %s)", QUEUE, f"order={number}")
        self.say("This one is rolled back, so nobody will ever see it:")
        with self.conn.transaction(force_rollback=True):
            self.show("select pgtq.insert_event(%s, 'new', 'order=4')", QUEUE)

        self.title("A tick closes a batch; the consumer takes it, reads it, finishes it")
        self.tick()
        batch = self.next_batch()
        events = self.show("select ev_id, ev_type, ev_data, ev_retry"
                           " from pgtq.get_batch_events(%s)", batch)
        assert [event[2] for event in events] == ["order=1", "order=2", "order=3"]
        self.say("Until it is finished, the same batch is handed out again:")
        assert self.next_batch() == batch
        self.retried = events[1]
        self.batch = batch

    def retry(self):
        self.title("Order 2 cannot be handled now: again in one second")
        assert self.show("select pgtq.event_retry(%s, %s, 1)",
                         self.batch, self.retried[0]) == [(1,)]
        assert self.show("select pgtq.finish_batch(%s)", self.batch) == [(1,)]
        self.say("It waits outside the queue. Asked again and again, the queue has nothing, until\n"
                 "the second is over:")
        for call in self.LOOP:
            self.echo(*call)
        batch = eventually(self.full_batch, timeout=30, pause=0.2)
        events = self.show("select ev_id, ev_type, ev_data, ev_retry"
                           " from pgtq.get_batch_events(%s)", batch)
        assert [(e[2], e[3]) for e in events] == [("order=2", 1)]
        self.show("select pgtq.finish_batch(%s)", batch)

    def rotation(self):
        self.title(f"{BULK} events more, read by the consumer: what becomes of the space?")
        self.show("select count(pgtq.insert_event(%s, 'bulk', repeat('x', 100)))"
                  " from generate_series(1, %s)", QUEUE, BULK)
        self.tick()
        batch = self.next_batch()
        assert self.show("select count(*) from pgtq.get_batch_events(%s)",
                         batch) == [(BULK,)]
        self.show("select pgtq.finish_batch(%s)", batch)
        before, filled = self.tables()
        assert before[filled] > 0

        self.say("Rotation moves writers to the next table of the ring. When it comes round to\n"
                 "a table that every consumer has read, TRUNCATE gives its space back at once.")
        self.show("select pgtq.set_queue_config(%s, 'rotation_period', '0 seconds')", QUEUE)
        for _ in range(len(before)):
            self.rotate()
        after, current = self.tables()
        assert current == filled, "the ring has come round"
        assert after[filled] < before[filled], "its space is back"
        self.say(f"Table {filled}: {before[filled]} bytes before, {after[filled]} after.")

    def information(self):
        self.title("Who is where")
        self.show("select queue_name, queue_ntables, queue_cur_table, last_tick_id, ev_new"
                  " from pgtq.get_queue_info(%s)", QUEUE)
        info = self.show("select queue_name, consumer_name, last_tick, current_batch,"
                         " pending_events from pgtq.get_consumer_info(%s, %s)", QUEUE, CONSUMER)
        assert info[0][:2] == (QUEUE, CONSUMER) and info[0][4] == 0

    # -- parts of steps

    def tick(self):
        """force_tick() is for demos and tests; a ticker needs no telling."""
        self.show("select pgtq.force_tick(%s)", QUEUE)
        self.show("select pgtq.ticker(%s)", QUEUE)

    def next_batch(self):
        ((batch,),) = self.show("select pgtq.next_batch(%s, %s)", QUEUE, CONSUMER)
        assert batch is not None
        return batch

    # What a consumer's loop and the ticker call, here in one session.
    LOOP = (("select pgtq.maint_retry_events()",),
            ("select pgtq.force_tick(%s)", QUEUE),
            ("select pgtq.ticker(%s)", QUEUE),
            ("select pgtq.next_batch(%s, %s)", QUEUE, CONSUMER))

    def full_batch(self):
        """One turn of the loop, unprinted: a batch with events, or None."""
        for call in self.LOOP:
            ((batch,),) = self.run(*call)
        if batch is None:
            return None
        if self.run("select from pgtq.get_batch_events(%s)", batch):
            return batch
        self.run("select pgtq.finish_batch(%s)", batch)
        return None

    def rotate(self):
        before = self.current_table()
        self.show("select pgtq.maint_rotate_tables_step1(%s)", QUEUE)
        self.show("select pgtq.maint_rotate_tables_step2()")
        after = self.current_table()
        self.say(f"current table: {before} -> {after}")
        assert after != before
        assert self.full_batch() is None    # the consumer follows, there is nothing new

    def current_table(self):
        return self.run("select queue_cur_table from pgtq.queue where queue_name = %s", QUEUE)[0][0]

    def tables(self):
        """({number: bytes}, the current number), printed."""
        rows = self.show(
            "select n, pg_total_relation_size(format('%%s_%%s', queue_data_pfx, n)::regclass)"
            " as bytes, n = queue_cur_table as current"
            " from pgtq.queue, generate_series(0, queue_ntables - 1) as n"
            " where queue_name = %s order by n", QUEUE)
        return {n: size for n, size, _ in rows}, next(n for n, _, current in rows if current)


if __name__ == "__main__":
    main()
