"""What must be, beside what is: the model of all that clients have committed.

A transaction of a client is a list of what it did, and gets into the model when it is known to have
committed.  Then check() asks the database, and says what is wrong, and what is not finished.
"""

import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from . import jobs, schedules
from .jobs import Jobs
from .schedules import Schedules

FIRED, FAILED, CANCELLED, EXPIRED, RETRIED = 1, 2, 3, 4, 5


@dataclass
class Timer:
    """A timer whose scheduling has committed."""
    id: int
    kind: str
    tags: list                  # the last one counts, if nobody else has changed it
    dues: list
    role: str
    attempts: int = 1
    expires: bool = False
    key: str = None
    asked: tuple = None         # key: when the call was made, and when it had its answer
    tx: str = None              # its transaction,
    ending: datetime = None     # when that was about to end, and
    known: datetime = None      # when it was known to have committed
    queue: str = "timers"
    cancels: int = 0            # how often somebody was told that it is cancelled
    missed: bool = False        # somebody was told that it is not pending
    shared: bool = False        # others have moved it, so the order of its times is not known
    orphan: bool = False        # its queue or its role may be gone


@dataclass
class Model:
    timers: dict = field(default_factory=dict)
    aborted: set = field(default_factory=set)       # timers of transactions that were rolled back
    events: set = field(default_factory=set)        # data of committed events
    lost_events: set = field(default_factory=set)   # and of those rolled back
    kept: list = field(default_factory=list)        # (key, when): told that a timer of it is pending
    bad_luck: tuple = ()        # SQLSTATEs that any action may fail with: somebody has stopped it
    schedules: Schedules = field(default_factory=Schedules)
    jobs: Jobs = field(default_factory=Jobs)
    lock: threading.Lock = field(default_factory=threading.Lock)

    # -- what clients report: a transaction is a list of (method, arguments)

    def commit(self, done, clock=None):
        with self.lock:
            for method, *arguments in done:
                if method == "schedule":
                    self.schedules.commit(*arguments, clock)
                elif method == "job":
                    self.jobs.commit(*arguments)
                else:
                    getattr(self, method)(*arguments)
                if method == "scheduled":
                    arguments[0].known = clock

    def rollback(self, done):
        with self.lock:
            for method, *arguments in done:
                if method == "scheduled" and arguments[0].id not in self.timers:
                    self.aborted.add(arguments[0].id)
                elif method == "inserted":
                    self.lost_events.add(arguments[0])
                elif method == "schedule":
                    self.schedules.rollback(arguments[0], arguments[3])
                elif method == "job":
                    self.jobs.rollback(*arguments)

    def scheduled(self, timer):
        self.timers[timer.id] = timer

    def replaced(self, id, tag, due):
        timer = self.timers[id]
        timer.tags.append(tag)
        if due is not None:
            timer.dues.append(due)

    def cancelled(self, id, answer, stranger):
        timer = self.timers[id]
        timer.shared |= stranger
        timer.cancels += answer
        timer.missed |= not answer

    def moved(self, id, answer, due, stranger):
        timer = self.timers[id]
        timer.shared |= stranger
        timer.missed |= not answer
        if answer:
            timer.dues.append(due)

    def inserted(self, data):
        self.events.add(data)

    def was_kept(self, key, when):
        self.kept.append((key, when))

    def orphaned(self, queue=None, role=None):
        for timer in self.timers.values():
            timer.orphan |= timer.queue == queue or timer.role == role

    # -- what the database says

    def check(self, conn, consumers, history):
        """Two lists of sentences: what is wrong for good, and what is not done yet.

        history is the setting: without it, what has failed has left no trace.
        """
        with self.lock:
            found = Findings(conn, self)
            for timer in list(self.timers.values()):
                found.judge(timer, history)
            found.judge_rest()
            found.judge_kept()
            for consumer in consumers:
                found.judge_consumer(consumer)
            found.judge_server()
            for part in found.parts:
                wrong, open = part.judge(history, self.bad_luck)
                found.wrong += wrong
                found.open += open
        return found.wrong, found.open


class Findings:
    """One look at the database, in one snapshot."""

    def __init__(self, conn, model):
        self.conn, self.model = conn, model
        self.wrong, self.open = [], []
        conn.execute("begin isolation level repeatable read")
        self.now = self.rows("select clock_timestamp()")[0][0]
        self.effects = self.by_first("select timer, tag, began, at, who, child from app.effect")
        self.pending = self.by_first("select ev_timer, dl_due, coalesce(ev_retry, 0), ev_data from pgtq.delay"
                                     " where ev_timer is not null and ev_schedule is null")
        self.history = self.by_first("select hi_timer, hi_status, hi_sqlstate from pgtq.history"
                                     " where hi_schedule is null and hi_group is null")
        self.seen = self.rows("select consumer, data, count(*) from app.seen group by 1, 2")
        self.retried = dict(((c, d), n) for c, d, n in self.rows(
            "select consumer, data, count(*) from app.retried group by 1, 2"))
        self.counted = self.rows("select sum(n), (select 2 * count(*) from app.effect where tag ~ '^count') from app.counter")[0]
        self.ticks = self.rows("""
            select q.queue_name, t.tick_id from
                (select *, lag(pg_snapshot_xmax(tick_snapshot)) over (partition by tick_queue order by tick_id) as before,
                        lag(tick_id) over (partition by tick_queue order by tick_id) as tick_before from pgtq.tick) t
              join pgtq.queue q on q.queue_id = t.tick_queue
             where pg_snapshot_xmax(tick_snapshot) < before or tick_id = tick_before""")
        self.keys = self.rows("select dl_queue, ev_key, count(*) from pgtq.delay where ev_key is not null"
                              " group by 1, 2 having count(*) > 1")
        self.parts = [schedules.Findings(conn, model.schedules), jobs.Findings(conn, model.jobs)]
        conn.execute("commit")
        # what actions have scheduled is as good as what clients have
        for timer, rows in self.effects.items():
            for tag, _, at, who, child in rows:
                if child is not None and child not in model.timers:
                    model.timers[child] = Timer(child, "child", [f"{tag} child"], [at], who)

    def rows(self, query):
        return self.conn.execute(query).fetchall()

    def by_first(self, query):
        found = defaultdict(list)
        for first, *rest in self.rows(query):
            found[first].append(rest)
        return found

    def judge(self, timer, history_kept):
        """A timer fires once, or is pending, or has another end that it may have."""
        effects, pending = self.effects.get(timer.id, []), self.pending.get(timer.id, [])
        history = Counter(status for status, _ in self.history.get(timer.id, []))
        ends = [status for status in history.elements() if status != RETRIED]
        about = f"timer {timer.id} ({timer.kind}, {timer.tags[-1]}, due {timer.dues[-1]}, {timer.role}, now {self.now}):"

        def wrong(text):
            self.wrong.append(f"{about} {text}; effects {effects}, pending {pending}, history {dict(history)}")

        if len(effects) > 1:
            wrong("ran more than once")
        if len(pending) > 1:
            wrong("pending more than once")
        if effects and pending:
            wrong("ran, and is pending")
        if timer.cancels > 1:
            wrong(f"cancelled {timer.cancels} times")
        if timer.cancels and (effects or pending):
            wrong("cancelled, but ran or is pending")
        if timer.missed and pending and not pending[0][1] and not timer.orphan:
            wrong("somebody was told that it is not pending")
        if len(ends) > 1:
            wrong("has more than one end")
        if timer.kind == "event":
            return self.judge_event(timer, pending, wrong)

        for tag, began, at, who, _ in effects:
            if at < min(timer.dues) or began < min(timer.dues) or not timer.shared and began < timer.dues[-1]:
                wrong("ran too early")
            if tag != timer.tags[-1]:
                wrong(f"ran {tag}")
            if who != timer.role:
                wrong(f"ran as {who}")
        if pending and pending[0][1] == 0 and pending[0][0] not in timer.dues[-1:] and not timer.shared \
                and timer.kind != "child":
            wrong("pending for another time")
        if timer.orphan:
            return None
        if effects and not timer.kind in CAN_FIRE:
            wrong("ran, although it fails")
        if timer.cancels:
            return None
        if pending and pending[0][0] <= self.now:
            self.open.append(f"{about} overdue")
        elif not pending and not (effects or ends) \
                and (history_kept != "off" or timer.kind not in FAILURES and not timer.expires):
            self.open.append(f"{about} no trace of it")
        if history_kept == "all" and not pending:
            self.judge_end(timer, effects, ends, history, wrong)
        return None

    def judge_end(self, timer, effects, ends, history, wrong):
        if effects and ends != [FIRED]:
            wrong("ran, but the history says otherwise")
        if not effects and FIRED in ends:
            wrong("the history says that it ran")
        for status, sqlstate in self.history.get(timer.id, []):
            if status in (FAILED, RETRIED) and sqlstate not in FAILURES.get(timer.kind, ()) + self.model.bad_luck:
                wrong(f"failed with {sqlstate}")
        if EXPIRED in ends and not timer.expires:
            wrong("expired, and has no such time")
        if history[RETRIED] + len(ends) > timer.attempts and CANCELLED not in ends:
            wrong("tried too often")

    def judge_event(self, timer, pending, wrong):
        """A delayed event; those who consume it are asked elsewhere."""
        if pending and pending[0][0] <= self.now and not timer.orphan:
            self.open.append(f"delayed event {timer.id}: overdue")

    def judge_rest(self):
        """What no committed transaction has made does not run; nor does it wait.

        Its id may be given out again: a crash takes a sequence back to what is in the log.
        """
        for id in self.model.aborted - self.model.timers.keys():
            ends = [status for status, _ in self.history.get(id, []) if status != CANCELLED]
            if id in self.effects or id in self.pending or ends:
                self.wrong.append(f"timer {id} was rolled back, but is there: {self.effects.get(id)} {self.pending.get(id)} {ends}")
        for id, rows in self.effects.items():
            if id not in self.model.timers and id not in self.model.aborted and "brief" not in rows[0][0]:
                self.wrong.append(f"timer {id} ran, and nobody knows it: {rows}")
        for id, rows in self.pending.items():
            if id not in self.model.timers and id not in self.model.aborted and "brief" not in rows[0][2]:
                self.wrong.append(f"timer {id} is pending, and nobody knows it: {rows}")

    def judge_kept(self):
        """Who was told that there is a timer of that key was told the truth."""
        by_key = defaultdict(list)
        for timer in self.model.timers.values():
            if timer.key:
                by_key[timer.key].append(timer)
        for key, when in self.model.kept:
            def may_be_there(timer):
                ran = self.effects.get(timer.id)
                return not ran or ran[0][2] >= when
            if not any(may_be_there(timer) for timer in by_key[key]):
                self.wrong.append(f"key {key}: kept a timer at {when}, but there was none")
        self.model.kept.clear()
        # a call waits for a transaction that has made one; and one that waits for its time is there to be found
        for key, timers in by_key.items():
            for one in timers:
                until = min(one.dues) - timedelta(seconds=5) if not one.cancels and len(one.dues) == 1 else one.known
                for two in timers if key.startswith("shared") else ():
                    if one.known < two.asked[0] and two.asked[1] < until \
                            or one.asked[1] < two.asked[0] and two.asked[1] < one.ending and one.tx != two.tx:
                        self.wrong.append(f"key {key}: a second timer, {two}, although there was {one}")
        for queue, key, count in self.keys:
            self.wrong.append(f"key {key}: pending {count} times in queue {queue}")

    def judge_consumer(self, consumer):
        """Each committed event was read once, and once more for each retry."""
        counts = {data: n for c, data, n in self.seen if c == consumer}
        delayed = {t.tags[0]: t for t in self.model.timers.values() if t.kind == "event"}
        from_actions = {f"event of {rows[0][0]}" for rows in self.effects.values() if rows[0][0].startswith("emit")}
        due = {data for data, t in delayed.items() if not t.cancels and t.id not in self.pending}
        wanted = self.model.events | from_actions | due
        for data, n in counts.items():
            if data not in wanted:
                self.wrong.append(f"{consumer} read {data!r}, which was not committed, is cancelled or pending")
            elif n > 1 + self.retried.get((consumer, data), 0):
                self.wrong.append(f"{consumer} read {data!r} {n} times")
        for data in wanted:
            if counts.get(data, 0) < 1 + self.retried.get((consumer, data), 0):
                self.open.append(f"{consumer} has read {data!r} {counts.get(data, 0)} times")

    def judge_server(self):
        if self.counted[0] != self.counted[1]:
            self.wrong.append(f"actions counted to {self.counted[0]}, and {self.counted[1]} say that they did")
        self.wrong += [f"queue {queue}: tick {tick} is older than the one before" for queue, tick in self.ticks]


# kinds of timers: see clients.py
FAILURES = {"fail": ("22012",), "commit": ("2D000", "0A000"), "flaky": ("P0001",), "slow": ("57014",), "suicide": ("57P01",),
            "count": ("40P01",)}
CAN_FIRE = {"plain", "insert", "sleep", "flaky", "spawn", "emit", "count", "expiring", "child", "bulk"}
