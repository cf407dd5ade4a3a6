"""make demo: timers and a queue at work, live, for about 20 seconds, on a private server. BUILD=pl shows the PL build.

What is shown is read from pgtq's views while it happens; at the end it is checked, and the demo ends with code 0 only
if all of it was as it should be. See screen.py for how it is drawn.
"""

import sys
import threading
import time
from datetime import datetime, timezone
from pathlib import Path

import psycopg

import screen

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test"))

from server import Workspace, eventually, exit_on_signals  # noqa: E402

BUILD = sys.argv[1] if len(sys.argv) > 1 else "c"
BURST = 1000 if BUILD == "c" else 100       # a loop runs them one after the other
EVENTS = 20000

# when, what is said of it, what is called; a name is for the line of the timer in the table
SCRIPT = (
    (0.5, "Timers are SQL that runs at a moment, as whoever schedules it.",
     "one second", "select pgtq.schedule_in('1 second', $$insert into log values ('second')$$)"),
    (1.0, None, "at a moment", "select pgtq.schedule_at(clock_timestamp() + '2 s', $$insert into log values ('moment')$$)"),
    (1.5, None, "to be cancelled", "select pgtq.schedule_in('6 seconds', $$insert into log values ('never')$$)"),
    (2.0, None, "fails, is tried 3 times", "select pgtq.schedule_in('1 second', 'select 1/0', max_attempts => 3, backoff => '1 second')"),
    (2.5, None, "takes too long", "select pgtq.schedule_in('1 second', 'select pg_sleep(1.5)', timeout_ms => 500)"),
    (3.5, "With a key there is one at most, and another call moves it: a debounce.",
     "flush, moved twice", "select pgtq.schedule_in('2 seconds', $$insert into log values ('flush')$$, key => 'k', on_conflict => 'replace')"),
    (4.5, None, None, "select pgtq.schedule_in('2 seconds', $$insert into log values ('flush')$$, key => 'k', on_conflict => 'replace')"),
    (5.5, None, None, "select pgtq.schedule_in('2 seconds', $$insert into log values ('flush')$$, key => 'k', on_conflict => 'replace')"),
    (6.0, "cancel() tells the truth: true, and it will not run.", None, "select pgtq.cancel(3)"),
    (8.0, f"{BURST} timers for one moment, each a row in a table.", None,
     f"select cardinality(pgtq.schedule_many(array_fill(due, array[{BURST}]),"
     f" array(select format('insert into burst values (%s, clock_timestamp() - %L)', n, due) from generate_series(1, {BURST}) n)))"
     " from (select clock_timestamp() + interval '1 s' as due offset 0) m"),
    (11.0, f"{EVENTS} events, read by a consumer in batches, while the tables rotate.", None,
     "select pgtq.insert_event_in('orders', '1 second', 'greeting', 'I was put off by a second')"),
)

WATCH = """
    select id, state, attempts, fire_at, extract(epoch from fired_at - fire_at) * 1000,
           (select error from pgtq.attempts a where a.id = t.id and error is not null order by attempt desc limit 1)
      from pgtq.timers t where id = any (%s) order by id"""
RING = """
    select n, pg_table_size(format('%s_%s', queue_data_pfx, n)::regclass), n = queue_cur_table
      from pgtq.queue, generate_series(0, queue_ntables - 1) n where queue_name = 'orders' order by n"""
LATE = """
    select count(*), percentile_disc(0.5) within group (order by l), percentile_disc(0.99) within group (order by l)
      from (select extract(epoch from late) * 1000 as l from burst) t"""


def main():
    exit_on_signals()
    print("Building pgtq and starting a private server ...", flush=True)
    workers = {"shared_preload_libraries": "pgtq", "max_worker_processes": 20, "pgtq.maintenance_interval": 1} if BUILD == "c" else {}
    with Workspace() as ws, ws.server(**workers) as server:
        db = server.create_db("demo", BUILD, template=False)
        demo = Demo(db)
        try:
            demo.run()
            demo.check()
        finally:
            demo.over.set()
        demo.how_to_go_on()


class Demo:
    def __init__(self, db):
        self.db = db
        self.names = {}                 # timers that have a line: id -> what
        self.rows, self.done = [], set()
        self.read, self.batches, self.largest = 0, 0, 0
        self.tables = {}                # of the ring: number -> the most bytes that were seen in it
        self.emptied = 0
        self.over = threading.Event()
        self.screen = screen.make()
        with db.connect() as conn:
            version = conn.execute("select 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1)").fetchone()[0]
            conn.execute("""
                create table log (what text);
                create table burst (n integer, late interval);
                select pgtq.create_queue('orders'), pgtq.register_consumer('orders', 'mailer');
                select pgtq.set_queue_config('orders', 'rotation_period', '1 second')""")
        self.title = f"pgtq, {'C build' if BUILD == 'c' else 'PL build, a loop in place of workers'}, {version}"

    def run(self):
        for beside in (self.consume, self.produce) + ((self.loop, self.maintain) if BUILD == "pl" else ()):
            threading.Thread(target=self.alone, args=(beside,), daemon=True).start()
        self.started = time.monotonic()
        script = list(SCRIPT)
        with self.db.connect() as conn:
            while self.at() < 20:
                while script and script[0][0] <= self.at():
                    self.call(conn, *script.pop(0)[1:])
                self.look(conn)
                time.sleep(0.1)
        self.screen.end()

    def at(self):
        return time.monotonic() - self.started

    def call(self, conn, remark, name, query):
        if remark:
            self.screen.remark(self.at(), remark)
        (answer,) = conn.execute(query).fetchone()
        if name:
            self.names[answer] = name
        self.screen.call(self.at(), query, str(answer).lower())

    # -- what is shown

    def look(self, conn):
        if any(id not in self.done for id in self.names):       # the view reads every event: not for what is known
            self.rows = conn.execute(WATCH, (list(self.names),)).fetchall()
            self.done = {id for id, state, *_ in self.rows if state not in ("pending", "due")}
        timers = [self.line(*row) for row in self.rows]
        count, half, most = conn.execute(LATE).fetchone()
        facts = [{"name": f"{BURST} at once", "last": count == BURST, "text": "not yet" if not count else
                  f"{count} have run; late by {half:.1f} ms in the middle, {most:.1f} ms for 99 in 100"},
                 {"name": "consumer mailer", "last": self.read >= EVENTS, "text":
                  f"has read {self.read} events in {self.batches} batches, up to {self.largest} in one"}]
        ring = []
        for n, size, current in conn.execute(RING):
            if size < self.tables.get(n, 0):
                self.emptied += 1
            self.tables[n] = size
            ring.append(f"{'>' if current else ' '}{n}: {size // 1024:>5} kB")
        facts += [{"name": "queue's tables", "last": False, "text": "  ".join(ring) + "     (> is written to)"},
                  {"name": "given back", "last": self.emptied, "text": f"{self.emptied} tables, by TRUNCATE, as the ring turned"}]
        self.screen.show(self.at(), self.title, timers, facts)

    def line(self, timer, state, tries, due, late, error):
        note = f", {late:.1f} ms after its time" if state == "fired" else ""
        if error:
            note = f", attempt {tries}: {error}" if state == "failed" else f" again; attempt {tries}: {error}"
        due = (due - datetime.now(timezone.utc)).total_seconds()
        due = f"in {due:.1f} s" if due > 0 else "" if state == "cancelled" else f"{-due:.1f} s ago"
        return {"id": timer, "what": self.names[timer], "due": due, "state": state, "tries": tries, "note": note}

    # -- what goes on beside, each on a connection of its own

    def alone(self, work):
        try:
            with self.db.connect() as conn:
                work(conn)
        except psycopg.OperationalError:        # the server is gone: the demo is over
            if not self.over.is_set():
                raise

    def consume(self, conn):
        while not self.over.is_set():
            (batch,) = conn.execute("select pgtq.wait_batch('orders', 'mailer', '1 s')").fetchone()
            if batch is not None:
                (count,) = conn.execute("select count(*) from pgtq.get_batch_events(%s)", (batch,)).fetchone()
                conn.execute("select pgtq.finish_batch(%s)", (batch,))
                self.read, self.batches, self.largest = self.read + count, self.batches + (count > 0), max(self.largest, count)

    def produce(self, conn):
        while self.at() < 11.5:
            time.sleep(0.1)
        for _ in range(20):
            conn.execute(f"select count(pgtq.insert_event('orders', 'paid', repeat('x', 100))) from generate_series(1, {EVENTS // 20})")
            time.sleep(0.1)

    def loop(self, conn):
        conn.execute("call pgtq.ticker_loop('1 minute', '20 ms')")

    def maintain(self, conn):           # ticker_loop() does it once a minute
        while not self.over.wait(1):
            conn.execute("select pgtq.maint_rotate_tables_step1('orders')")
            conn.execute("select pgtq.maint_rotate_tables_step2()")

    # -- at the end

    def check(self):
        with self.db.connect() as conn:
            done = "select count(*) from pgtq.timers where id = any (%s) and state in ('pending', 'due')"
            eventually(lambda: conn.execute(done, (list(self.names),)).fetchone() == (0,), 60)
            states = dict(conn.execute("select id, state from pgtq.timers where id = any (%s)", (list(self.names),)).fetchall())
            assert [states[id] for id in sorted(self.names)] == ["fired", "fired", "cancelled", "failed", "failed", "fired"], states
            assert conn.execute("select array_agg(what) from log").fetchone() == (["second", "moment", "flush"],)
            eventually(lambda: conn.execute("select count(distinct n), count(*) from burst").fetchone() == (BURST, BURST), 60)
            early = "select count(*) from pgtq.timers where fired_at < fire_at"
            assert conn.execute(early).fetchone() == (0,)
            eventually(lambda: self.read == EVENTS + 1, 60)
            eventually(lambda: self.look(conn) or self.emptied, 60)
            print("Checked: each action ran once and none before its time; each event was read once; tables were given back.")
            print("\nWhat became of timer 4?\n\n   => select pgtq.why(4);")
            print("   " + conn.execute("select pgtq.why(4)").fetchone()[0])

    def how_to_go_on(self):
        ws = self.db.server.workspace
        psql = f"{ws.bindir}/psql -h {self.db.server.path} -U postgres demo"
        print("\nTo go on, in psql:\n\n"
              "   select pgtq.schedule_in('5 seconds', 'select 42');\n"
              "   select * from pgtq.timers;       select * from pgtq.health();       \\df+ pgtq.*\n")
        if sys.stdin.isatty() and sys.stdout.isatty():
            print(f"The server stays until you press Enter. In another terminal:\n\n   {psql}\n")
            sys.stdin.readline()
        else:
            print("in a database of your own: README.md, \"Install\", takes three lines.")
        print("The server and its files are gone.")


if __name__ == "__main__":
    main()
