"""Clients: random transactions, which tell the model what they did once they have committed.

Each client is a thread with a generator of its own, made from the seed.  It changes timers of its own, and
only cancels or moves now and then one of another client.
"""

import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta

import psycopg
from psycopg import IsolationLevel

from . import jobs, schedules
from .model import Timer

TRANSACTIONS = 40           # of each client, in a round
LEVELS = [IsolationLevel.READ_COMMITTED] * 7 + [IsolationLevel.REPEATABLE_READ] * 2 + [IsolationLevel.SERIALIZABLE]

# what fails by being one of many: the transaction is rolled back, and that is all
EXPECTED = (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected, psycopg.errors.LockNotAvailable,
            psycopg.errors.QueryCanceled)

# what COMMIT PREPARED says while another session does the same, and when it has
IN_ITS_HANDS = (psycopg.errors.ObjectNotInPrerequisiteState, psycopg.errors.UndefinedObject)

ACTIONS = {
    "plain": "select app.act({tag})",
    "insert": "insert into app.effect (timer, tag) values (pgtq.current_timer(), {tag})",
    "sleep": "select app.act({tag}), pg_sleep({short})",
    "fail": "select app.act({tag}); select 1 / 0",
    "commit": "select app.act({tag}); commit",
    "flaky": "select app.fail_sometimes({tag})",
    "spawn": "select app.spawn({tag}, '{short} s')",
    "emit": "select app.act({tag}); select pgtq.insert_event('events', 'e', 'event of ' || {tag})",
    "count": "select app.count({tag}, {a}, {b})",
    "expiring": "select app.act({tag})",
    "slow": "select app.act({tag}), pg_sleep(0.6)",             # beyond its timeout_ms
    "suicide": "select app.act({tag}), pg_terminate_backend(pg_backend_pid())",
}
KINDS = ["plain"] * 8 + ["insert"] * 4 + ["sleep", "fail", "flaky", "spawn", "emit", "expiring"] * 2 \
    + ["count"] * 3 + ["commit", "slow"]


class Unknown(Exception):
    """The connection was lost, and nobody has said how the transaction ended."""


@dataclass
class Transaction:
    id: str
    done: list = field(default_factory=list)        # what to tell the model
    unsafe: list = field(default_factory=list)      # what a savepoint has taken back
    mine: list = field(default_factory=list)        # timers that it has scheduled
    jobs: list = field(default_factory=list)        # ids of jobs that it has submitted


class Client(threading.Thread):
    def __init__(self, run, number):
        super().__init__(name=f"client {number}", daemon=True)
        self.run_, self.number = run, number
        self.rng = run.rng(self.name)
        self.role = ("alice", "bob")[number % 2]
        self.timers, self.jobs, self.keyed = [], [], {}
        self.serial, self.conn = 0, None
        self.rounds = threading.Semaphore(0)
        self.idle = threading.Event()

    # -- the thread

    def run(self):
        while True:
            self.idle.set()
            self.rounds.acquire()
            try:
                for _ in range(TRANSACTIONS):
                    if self.run_.failed or self.run_.is_over():
                        break
                    self.transaction()
            except Exception as error:
                self.run_.fail(self.name, error)

    def log(self, text):
        self.run_.log(self.name, text)

    def transaction(self):
        self.serial += 1
        tx = Transaction(f"{self.number}.{self.serial}")
        plan = self.plan()
        try:
            if self.conn is None or self.conn.closed:
                self.conn = self.run_.connect(self.role, autocommit=False)
            self.conn.isolation_level = plan["level"]
            self.log(f"begin {tx.id} {plan['level'].name}")
            try:
                self.conn.execute("insert into app.tx values (%s)", (tx.id,))
                self.steps(tx, plan)
                self.finish(tx, plan["end"])
            except EXPECTED as error:
                self.log(f"{tx.id} {type(error).__name__}")
                self.conn.rollback()        # by which time the server may have gone
                self.ended(tx, False)
        except psycopg.Error as error:
            if not is_of_a_crash(error, self.conn):
                raise
            self.log(f"{tx.id} lost: {str(error).splitlines()[0]}")
            self.conn and self.conn.close()
            self.conn = None
            self.ended(tx, self.settle(tx.id))

    def plan(self):
        """What the transaction will do; nothing here depends on how anything ends."""
        rng = self.rng
        return {"level": rng.choice(LEVELS),
                "steps": [(rng.choice(STEPS), rng.random()) for _ in range(rng.choice((1, 1, 2, 3, 6)))],
                "end": rng.choices(("commit", "rollback", "prepare"), (85, 8, 7))[0]}

    def steps(self, tx, plan):
        for step, chance in plan["steps"]:
            in_savepoint = chance < 0.25
            if in_savepoint:
                kept, mine, jobs = len(tx.done), len(tx.mine), len(tx.jobs)
                self.conn.execute("savepoint s")
            step(self, tx)
            if in_savepoint:
                self.conn.execute("rollback to s" if chance < 0.1 else "release s")
                if chance < 0.1:
                    tx.unsafe += tx.done[kept:]
                    del tx.done[kept:], tx.mine[mine:], tx.jobs[jobs:]
            if chance > 0.97:
                time.sleep(self.rng.random() * 2)       # ticks, moves and rotations pass by
                self.run_.counts["long transactions"] += 1

    def finish(self, tx, end):
        for timer in tx.mine:
            timer.ending = self.run_.clock()
        self.log(f"{tx.id} {end}")
        if end == "prepare":
            self.run_.counts["prepared"] += 1
            self.conn.execute(f"prepare transaction '{tx.id}'")
            self.conn.rollback()            # psycopg does not know that it is over
            time.sleep(self.rng.random())
            end = self.rng.choice(("commit", "commit", "rollback"))
            self.run_.prepared[tx.id] = end
            self.conn.autocommit = True
            self.conn.execute(f"{end} prepared '{tx.id}'")
            self.conn.autocommit = False
            del self.run_.prepared[tx.id]
        else:
            getattr(self.conn, end)()
        self.ended(tx, end == "commit")

    def settle(self, tx_id):
        """Has it committed?  Asks the database, by doing the same again."""
        while True:
            try:
                with self.run_.connect("postgres", options="-c lock_timeout=2s") as conn:
                    if conn.execute("select from pg_prepared_xacts where gid = %s", (tx_id,)).rowcount:
                        conn.execute(f"{self.run_.prepared.pop(tx_id, 'commit')} prepared '{tx_id}'")
                    lost = conn.execute("insert into app.tx values (%s) on conflict do nothing", (tx_id,)).rowcount
                    self.run_.counts["lost replies"] += 1
                    return not lost
            except psycopg.Error as error:
                # the session that was lost may still be in the middle of it
                if self.run_.failed or not is_of_a_crash(error, None) and not isinstance(error, (*EXPECTED, *IN_ITS_HANDS)):
                    raise
                time.sleep(0.05)

    def ended(self, tx, committed):
        self.log(f"{tx.id} {'committed' if committed else 'rolled back'}")
        self.run_.counts["transactions"] += 1
        self.run_.prepared.pop(tx.id, None)
        model = self.run_.model
        if committed:
            model.commit(tx.done, self.run_.clock())
            model.rollback(tx.unsafe)
            self.jobs += tx.jobs
            self.timers += [t.id for t in tx.mine]
            for timer in tx.mine:
                if timer.key:
                    self.keyed[timer.key] = timer
        else:
            model.rollback(tx.done + tx.unsafe)

    def did(self, tx, *what):
        tx.done.append(what)
        self.run_.counts["operations"] += 1
        self.log(f"{tx.id} {' '.join(map(str, what))}")

    def ask(self, query, *parameters):
        return self.conn.execute(query, parameters).fetchone()[0]

    # -- operations

    def due(self):
        rng = self.rng
        seconds = rng.choices((rng.random() * 2, -rng.random() * 3600, 3 + rng.random() * 10, 86400 * (1 + rng.random())),
                              (60, 12, 13, 15))[0]
        return self.run_.clock() + timedelta(seconds=round(seconds, 3))

    def tag(self, kind):
        self.serial += 1
        return f"{kind} {self.number}.{self.serial}"

    def action(self):
        rng = self.rng
        kind = rng.choice(KINDS + ["suicide"] if self.run_.build == "c" else KINDS)
        tag = self.tag(kind)
        a, b = rng.sample(range(1, 5), 2)
        return kind, tag, ACTIONS[kind].format(tag=f"'{tag}'", short=round(rng.random() * 0.3, 3), a=a, b=b)

    def schedule(self, tx):
        kind, tag, action = self.action()
        due = self.due()
        options = {"queue": self.rng.choice(["timers"] * 3 + ["more"])}
        if kind in ("fail", "flaky"):
            options |= {"max_attempts": self.rng.choice((1, 2, 3)), "backoff": timedelta(milliseconds=50)}
        if kind == "expiring":
            options["expires_in"] = timedelta(milliseconds=self.rng.choice((1, 100, 5000)))
        if kind == "slow":
            options["timeout_ms"] = 200
        names = "".join(f", {name} => %s" for name in options)
        id = self.ask(f"select pgtq.schedule_at(%s, %s{names})", due, action, *options.values())
        timer = Timer(id, kind, [tag], [due], self.role, options.get("max_attempts", 1), kind == "expiring",
                      queue=options["queue"])
        self.did(tx, "scheduled", timer)
        tx.mine.append(timer)

    def schedule_many(self, tx):
        count = self.rng.choice((2, 10, 60))
        made = [(self.tag("bulk"), self.due()) for _ in range(count)]
        ids = self.ask("select pgtq.schedule_many(%s::timestamptz[], %s)", [d for _, d in made],
                       [f"select app.act('{tag}')" for tag, _ in made])
        for id, (tag, due) in zip(ids, made):
            timer = Timer(id, "bulk", [tag], [due], self.role)
            self.did(tx, "scheduled", timer)
            tx.mine.append(timer)

    def schedule_keyed(self, tx):
        """With a key of one's own, or one that all want and that nobody replaces."""
        key = f"key {self.number} {self.rng.randrange(4)}"
        tag, due = self.tag("plain"), self.due()
        on_conflict = self.rng.choice(("keep", "replace", "update"))
        if self.rng.random() < 0.6:
            key, on_conflict = f"shared {self.rng.randrange(3)}", "keep"
            due = self.run_.clock() + timedelta(seconds=self.rng.choice((0, 0, 0.5, 7)))
        when = self.run_.clock()
        id = self.ask("select pgtq.schedule_at(%s, %s, key => %s, on_conflict => %s)", due,
                      f"select app.act('{tag}')", key, on_conflict)
        known = {t.id for t in tx.mine} | set(self.timers)
        if id is None:
            self.did(tx, "was_kept", key, when)
        elif id in known:
            self.did(tx, "replaced", id, tag, due if on_conflict == "replace" else None)
        else:
            timer = Timer(id, "plain", [tag], [due], self.role, key=key, tx=tx.id, asked=(when, self.run_.clock()))
            self.did(tx, "scheduled", timer)
            tx.mine.append(timer)
            if on_conflict == "keep":
                time.sleep(self.rng.random() ** 2 * 0.2)        # others want it, too

    def some_timer(self, tx):
        """A timer of one's own, likely a new one; now and then somebody else's of the same role."""
        if tx.mine and self.rng.random() < 0.2:
            return self.rng.choice(tx.mine).id, False
        whose = self
        if self.rng.random() < 0.1:
            whose = self.run_.clients[(self.number + 2) % len(self.run_.clients)]
        timers = whose.timers[-40:] if self.rng.random() < 0.8 else whose.timers
        return (self.rng.choice(timers), whose is not self) if timers else (None, False)

    def cancel(self, tx):
        id, stranger = self.some_timer(tx)
        if id is not None:
            self.did(tx, "cancelled", id, self.ask("select pgtq.cancel(%s)", id), stranger)

    def cancel_many(self, tx):
        chosen = dict(self.some_timer(tx) for _ in range(5))
        chosen.pop(None, None)
        gone = self.ask("select pgtq.cancel_many(%s)", list(chosen))
        for id, stranger in chosen.items():
            self.did(tx, "cancelled", id, id in gone, stranger)

    def reschedule(self, tx):
        id, stranger = self.some_timer(tx)
        if id is not None:
            due = self.due()
            self.did(tx, "moved", id, self.ask("select pgtq.reschedule(%s, %s)", id, due), due, stranger)

    def insert_events(self, tx):
        for _ in range(self.rng.choice((1, 1, 3))):
            data = self.tag("event")
            self.ask("select pgtq.insert_event('events', 't', %s)", data)
            self.did(tx, "inserted", data)

    def insert_event_later(self, tx):
        data, due = self.tag("later"), self.due()
        id = self.ask("select pgtq.insert_event_at('events', %s, 't', %s)", due, data)
        timer = Timer(id, "event", [data], [due], self.role, queue="events")
        self.did(tx, "scheduled", timer)
        tx.mine.append(timer)

    def churn(self, tx):
        """Many timers that are cancelled at once, so that the store has something to give back."""
        due = self.run_.clock() + timedelta(days=1)
        ids = self.ask("select pgtq.schedule_many(array_fill(%s::timestamptz, array[400]),"
                       " array_fill('select app.act(''churn'') -- ' || repeat('x', 800), array[400]))", due)
        gone = self.ask("select pgtq.cancel_many(%s)", ids[1:])
        if gone != ids[1:]:
            raise AssertionError(f"cancel_many() did not cancel {set(ids[1:]) - set(gone)}")
        timer = Timer(ids[0], "bulk", ["churn"], [due], self.role)
        self.did(tx, "scheduled", timer)
        tx.mine.append(timer)


STEPS = [Client.schedule] * 10 + [Client.schedule_many] * 2 + [Client.schedule_keyed] * 4 + [Client.cancel] * 5 \
    + [Client.cancel_many, Client.churn] + [Client.reschedule] * 3 + [Client.insert_events] * 6 + [Client.insert_event_later] * 2 \
    + [schedules.step] * 6 + [jobs.submit] * 4 + [jobs.cancel] * 3


def is_of_a_crash(error, conn):
    """The server or the session is gone, or is not up again."""
    return (isinstance(error, psycopg.OperationalError)
            and (error.sqlstate is None or error.sqlstate.startswith(("57P", "08", "53300")))
            or conn is not None and conn.closed)
