"""Schedules: what clients do with them, and what must come of it.

A schedule belongs to one client, so what it is at any moment follows from what that client has committed.  Each
definition has a tag in its action, which tells to whom a run belongs; app.run() notes which run it was, and for what time it was
planned.

Some schedules have a number of runs and end by themselves.  The others are paused at a quiet point; then each of
them has to have exactly one next run, whatever has happened to it.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from psycopg import IsolationLevel

NAMES = 3                           # of each client
ACTIONS = {
    "plain": "select app.run('{tag}')",
    "slow": "select app.run('{tag}'), pg_sleep({long})",
    "fail": "select app.run('{tag}'); select 1 / 0",
    "flaky": "select app.run('{tag}'), app.perhaps()",
}
FIRED, FAILED, CANCELLED, EXPIRED, RETRIED = 1, 2, 3, 4, 5


@dataclass
class Definition:
    """What a schedule was between two changes of it."""
    name: str
    role: str
    tag: str
    kind: str
    every: timedelta            # None: by cron, each second
    options: dict
    call: tuple                 # how it was made: SQL and parameters
    id: int = None
    epoch: int = 1
    retired: datetime = None    # since then it is another one, or none
    paused: list = field(default_factory=list)      # [from, until], as far as it is known for sure
    by_hand: set = field(default_factory=set)       # timers that run_now() has told of
    extra: set = field(default_factory=set)         # of these, those that are out of the plan
    cancelled: set = field(default_factory=set)     # timers

    def option(self, name, default=None):
        return self.options.get(name, default)

    @property
    def ends(self):
        """By itself, and soon."""
        return self.option("max_runs") and (self.every is None or self.every < timedelta(seconds=2))

    @property
    def overlaps(self):
        return self.option("overlap") == "allow"

    @property
    def leaves_nothing_out(self):
        return (self.option("catch_up") == "all" and self.option("overlap") in ("queue", "allow") and self.every
                and self.option("drift") != "end" and not self.paused and not self.by_hand)


@dataclass
class State:
    """Where a schedule stands: what it is now, if it is there, and whether it is paused."""
    now: Definition = None
    paused: bool = False


class Schedules:
    """The model: what clients have committed.  They tell it (what, name, when, more)."""

    def __init__(self):
        self.states, self.definitions, self.aborted = {}, {}, set()
        self.quieted = []

    def commit(self, what, name, began, more, clock):
        state = self.states.setdefault(name, State())
        self.apply(state, what, more)
        if what == "define":
            self.definitions[more.tag] = more
            if state.paused:
                more.paused.append([clock, None])
        for definition in self.definitions.values():
            if definition.name == name and definition is not state.now and definition.retired is None:
                definition.retired = clock
        if what == "pause" and more:
            state.now.paused.append([clock, None])
        elif what == "pause":
            state.now.paused[-1][1] = began
        elif what == "run now":
            timer, extra = more
            state.now.by_hand.add(timer)
            if extra:
                state.now.extra.add(timer)
        elif what == "cancel":
            tag, timer = more
            self.definitions[tag].cancelled.add(timer)

    def rollback(self, what, more):
        if what == "define":
            self.aborted.add(more.tag)

    def apply(self, state, what, more):
        if what == "define":
            state.now = more
        elif what == "end":
            state.now, state.paused = None, False
        elif what == "pause":
            state.paused = more

    def state(self, name, done):
        """As a transaction sees it that has done so much."""
        state = replace(self.states.get(name, State()))
        for method, *arguments in done:
            if method == "schedule" and arguments[1] == name:
                self.apply(state, arguments[0], arguments[3])
        return state

    # -- the quiet point

    def quieten(self, conn, clock):
        """Pauses what would never end."""
        for state in self.states.values():
            if state.now and not state.paused and not state.now.ends:
                conn.execute("select pgtq.pause(%s, %s)", (state.now.name, state.now.role))
                state.paused = True
                state.now.paused.append([clock(), None])
                self.quieted.append(state)

    def go_on(self, conn, clock):
        while self.quieted:
            state = self.quieted[-1]
            state.now.paused[-1][1] = clock()
            conn.execute("select pgtq.resume(%s, %s)", (state.now.name, state.now.role))
            state.paused = False
            self.quieted.pop()


# -- what clients do

def step(client, tx):
    if client.conn.isolation_level != IsolationLevel.READ_COMMITTED and client.rng.random() > 0.1:
        return                                      # a serialization failure
    name = f"s{client.number}.{client.rng.randrange(NAMES)}"
    state = client.run_.model.schedules.state(name, tx.done)
    what = client.rng.choice([define] * 3 + [again, pause, pause, pause, run_now, run_now, end, cancel_run]) if state.now else define
    what(client, tx, name, state)


def did(client, tx, what, name, began, more):
    client.did(tx, "schedule", what, name, began, more)


def expect(is_right, text):
    if not is_right:
        raise AssertionError(text)


def define(client, tx, name, state):
    rng, began = client.rng, client.run_.clock()
    kind = rng.choice(("plain", "plain", "plain", "slow", "slow", "fail", "flaky"))
    tag = client.tag(kind)
    options = {"overlap": rng.choice(("skip", "queue", "allow")), "catch_up": rng.choice(("one", "all", "all", "none"))}
    every = rng.choice([timedelta(milliseconds=n) for n in (100, 150, 250, 400, 1000)] + [timedelta(days=1), None])
    if rng.random() < 0.5 or "all" in options.values() or "allow" in options.values():
        options["max_runs"] = rng.choice((1, 5, 10, 20) if every and every < timedelta(seconds=1) else (1, 3, 5))
    if kind in ("fail", "flaky"):
        options |= {"max_attempts": rng.choice((1, 3)), "backoff": timedelta(milliseconds=50)}
    if rng.random() < 0.15:
        options["jitter"] = timedelta(milliseconds=300)
    if every and options["overlap"] != "allow" and rng.random() < 0.2:
        options["drift"] = "end"
    if rng.random() < 0.2:
        options["job"] = True
        if rng.random() < 0.5:
            options["job_options"] = '{"job_group": "of schedules", "group_limit": 1, "on_crash": "retry"}'
    function, when = ("schedule_every", every) if every else ("schedule_cron", "* * * * * *")
    names = "".join(f", {option} => %s" for option in options)
    call = (f"select pgtq.{function}(%s, %s, %s{names})",
            name, when, ACTIONS[kind].format(tag=tag, long=round(rng.random() * 0.4, 3)), *options.values())
    new = Definition(name, client.role, tag, kind, every, options, call)
    new.id = client.ask(*call)
    if state.now:
        expect(new.id == state.now.id, f"{name} has got another id: {new.id}")
        new.epoch = state.now.epoch + 1
    did(client, tx, "define", name, began, new)


def again(client, tx, name, state):
    expect(client.ask(*state.now.call) == state.now.id, f"{name}: the same definition has got another id")


def pause(client, tx, name, state):
    began = client.run_.clock()
    function, wanted = client.rng.choice((("pause", True), ("resume", False)))
    changed = client.ask(f"select pgtq.{function}(%s)", name)
    expect(changed == (state.paused != wanted), f"{function}({name}) says {changed}")
    if changed:
        did(client, tx, "pause", name, began, wanted)


def run_now(client, tx, name, state):
    began = client.run_.clock()
    timer = client.ask("select pgtq.run_now(%s)", name)
    expect(timer or not state.paused, f"run_now({name}) has made no run, although it is paused")
    if timer:
        # of one that is finished, too; who knows when it did
        extra = state.paused or bool(client.ask("select count(*) from pgtq.schedules where name = %s and state = 'finished'", name))
        did(client, tx, "run now", name, began, (timer, extra))


def end(client, tx, name, state):
    began = client.run_.clock()
    expect(client.ask("select pgtq.unschedule(%s)", name), f"unschedule({name}) has not found it")
    did(client, tx, "end", name, began, None)


def cancel_run(client, tx, name, state):
    began = client.run_.clock()
    timer = client.ask("select next_timer from pgtq.schedules where name = %s", name)
    if timer and client.ask("select pgtq.cancel(%s)", timer):
        did(client, tx, "cancel", name, began, (state.now.tag, timer))


# -- what the database says

@dataclass
class Run:
    """What an action has noted of itself."""
    timer: int
    epoch: int                  # None: out of the plan
    n: int
    planned: datetime
    taken: datetime             # when it left the store
    who: str
    began: datetime
    at: datetime

    def __str__(self):
        times = ", ".join(f"{name} {getattr(self, name):%H:%M:%S.%f}" for name in ("planned", "taken", "began", "at") if getattr(self, name))
        return f"timer {self.timer}, epoch {self.epoch}, run {self.n}: {times}"


class Findings:
    def __init__(self, conn, model):
        self.model = model

        def rows(query):
            return conn.execute(query).fetchall()

        self.now = rows("select clock_timestamp()")[0][0]
        self.runs = defaultdict(list)
        for tag, *rest in rows("select tag, timer, epoch, n, planned, taken, who, began, at from app.run order by at"):
            self.runs[tag].append(Run(*rest))
        self.schedules = {id: rest for id, *rest in rows(
            "select sc_id, sc_name, sc_epoch, sc_paused, sc_role::regrole::text from pgtq.schedule")}
        self.ends = defaultdict(list)
        for id, epoch, error in rows("select se_schedule, se_epoch, se_error from pgtq.schedule_end"):
            self.ends[id, epoch].append(error)
        self.pending = rows("select ev_schedule, (ev_run).epoch, (ev_run).n, ev_timer, nullif(dl_due, 'infinity'), ev_retry, ev_data"
                            " from pgtq.delay where ev_schedule is not null")
        self.jobs = rows("select jo_schedule, (jo_run).epoch, jo_id, jo_state from pgtq.job where jo_schedule is not null")
        self.history = defaultdict(lambda: defaultdict(list))
        for tag, timer, status, sqlstate in rows(r"select substring(hi_action from 'app\.run\(''([^'']+)'''), hi_timer, hi_status, hi_sqlstate"
                                                 " from pgtq.history where hi_schedule is not null order by hi_finished"):
            self.history[tag][timer].append((status, sqlstate))
        self.failures = dict(rows("select id, failures_in_a_row from pgtq.schedules"))

    def judge(self, history, bad_luck):
        self.wrong, self.open = [], []
        live = {state.now.id: state for state in self.model.states.values() if state.now}
        for id, (name, *_) in self.schedules.items():
            if id not in live:
                self.wrong.append(f"schedule {id}, {name}, is there, and should not be")
        for id, state in live.items():
            self.judge_state(id, state, history)
        for definition in self.model.definitions.values():
            self.judge_runs(definition, bad_luck, history)
        for tag in [*self.runs, *self.history]:
            if tag not in self.model.definitions:
                self.wrong.append(f"{tag} of a schedule ran, and nobody knows it: {self.runs[tag]}")
        for id, epoch, n, timer, due, retry, action in self.pending:
            if due and due <= self.now or retry is not None:
                self.open.append(f"run {n} of schedule {id}, {action}: timer {timer} is pending for {due}")
        self.open += [f"job {job} of schedule {id}: is not done" for id, _, job, _ in self.jobs]
        return self.wrong, self.open

    def judge_state(self, id, state, history):
        """A schedule that is not at its end has one next run, or one is under way.

        That of one that is paused may still have its time, if it was planned since; the mover puts it off then.
        """
        it = state.now
        about = f"schedule {id}, {it.name} ({it.tag}, every {it.every}, {it.options}, epoch {it.epoch}):"
        if self.schedules.get(id) != [it.name, it.epoch, state.paused, it.role]:
            self.wrong.append(f"{about} it is {self.schedules.get(id)}, paused {state.paused}")
        ends = self.ends[id, it.epoch]
        next_runs = [run for run in self.pending if run[0] == id and run[1] == it.epoch and run[5] is None]
        jobs = [job for job in self.jobs if job[0] == id and job[1] == it.epoch]
        done = {timer for timer, rows in self.history[it.tag].items() if any(s != RETRIED for s, _ in rows)} - it.extra

        def wrong(text):
            self.wrong.append(f"{about} {text}; next {next_runs}, ends {ends}, done {len(done)}")

        if any(ends) or len(ends) > 1:
            wrong("came to a bad end")
        if len(next_runs) + (0 if it.overlaps else len(jobs)) > 1:
            wrong("has more than one next run")
        if ends and next_runs:
            wrong("goes on after its end")
        if not ends and not next_runs:
            self.open.append(f"{about} has no next run")
        if it.ends and not ends and not state.paused:
            self.open.append(f"{about} is not at its end")
        if history == "off":
            return
        if next_runs and it.option("catch_up") != "none":
            n = next_runs[0][2]
            if n <= len(done) or n > len(done) + 1 and not it.overlaps:
                wrong(f"{len(done)} are done, and the next one is number {n}")
        if ends and len(done) > it.option("max_runs", 0):
            wrong("has had too many runs")
        last = 0
        for rows in self.history[it.tag].values():
            for status, _ in rows:
                last = last + 1 if status == FAILED else 0 if status == FIRED else last
        if it.epoch == 1 and self.failures.get(id) != last:
            wrong(f"{last} failures in a row, and the view says {self.failures.get(id)}")

    def judge_runs(self, it, bad_luck, history):
        """Each run of a definition is one that it has planned, and was made once."""
        runs, ends = self.runs[it.tag], self.history[it.tag]
        is_job = it.option("job")
        about = f"{it.tag} ({it.name}, {it.id}, {it.role}, every {it.every}, {it.options}, epoch {it.epoch}):"

        def wrong(text, *what):
            self.wrong.append(f"{about} {text}: {[str(w) for w in what]}")

        for timer, times in Counter(run.timer for run in runs).items():
            if times > (it.option("max_attempts", 1) if is_job else 1):
                wrong(f"timer {timer} ran {times} times", *[run for run in runs if run.timer == timer])
        for run in runs:
            if it.kind == "fail" and not is_job:
                wrong("ran, although it fails", run)
            if run.who != it.role:
                wrong("ran as somebody else", run)
            if run.timer in it.cancelled:
                wrong("ran, although it was cancelled", run)
            if run.timer not in it.extra if run.epoch is None else run.epoch != it.epoch:
                wrong("is a run of something else", run)
            if run.epoch is not None:
                self.judge_time(it, run, wrong)
        self.judge_chain(it, [run for run in runs if run.epoch is not None], wrong)
        if history != "off":
            self.judge_history(it, runs, ends, bad_luck, wrong)

    def judge_time(self, it, run, wrong):
        if run.began < run.planned or run.at < run.planned:
            wrong("ran too early", run)
        if it.retired and run.taken > it.retired:
            wrong(f"was begun, although it was another one since {it.retired}", run)
        for since, until in it.paused:
            if since < run.taken and (until is None or run.taken < until) and run.timer not in it.by_hand:
                wrong(f"was begun, although it was paused from {since} to {until}", run)

    def judge_chain(self, it, runs, wrong):
        """Numbers and planned times: none twice, and one after the other."""
        timers = {run.timer: run for run in runs}       # a job may have run more than once
        chain = sorted(timers.values(), key=lambda run: run.n)
        for what in ("n", "planned"):
            for value, times in Counter(getattr(run, what) for run in chain).items():
                if times > 1:
                    wrong(f"{what} {value}: {times} runs", *[run for run in chain if getattr(run, what) == value])
        if chain and (chain[0].n < 1 or chain[-1].n > it.option("max_runs", 10**9)):
            wrong("has too many runs", chain[0], chain[-1])
        for run in chain:
            off = run.planned - chain[0].planned
            if it.every and it.option("drift") != "end" and not it.by_hand and off % it.every \
                    or it.every is None and not it.by_hand and run.planned.microsecond:
                wrong("is planned for a time that is not in the plan", chain[0], run)
            if it.leaves_nothing_out and off != it.every * (run.n - chain[0].n):
                wrong("has left out a time, or made one up", chain[0], run)
        for one, two in zip(chain, chain[1:]):
            if two.planned <= one.planned:
                wrong("is planned for an earlier time than the run before", one, two)
            if two.n != one.n + 1 or it.overlaps:
                continue
            if two.taken < one.at:
                wrong("began before the one before was done", one, two)
            if it.option("drift") == "end" and not it.by_hand and not it.paused and two.began < one.at + it.every:
                wrong("came too soon after the one before", one, two)
            if it.option("overlap") == "skip" and not it.by_hand and not it.option("jitter") and one.taken < two.planned <= one.at:
                wrong("its time came while the one before ran", one, two)

    def judge_history(self, it, runs, ends, bad_luck, wrong):
        ran = {run.timer for run in runs}
        for timer, rows in ends.items():
            final = [status for status, _ in rows if status != RETRIED]
            if len(final) > 1:
                wrong(f"timer {timer} has more than one end", rows)
            if FIRED in final and timer not in ran:
                wrong(f"timer {timer} has not run, and the history says it has", rows)
            if timer in it.cancelled and final != [CANCELLED]:
                wrong(f"timer {timer} was cancelled, and the history says otherwise", rows)
            for status, sqlstate in rows:
                lost = ("08006",) if it.option("job") else ()
                own = {"fail": ("22012",), "flaky": ("P0001",)}.get(it.kind, ())
                if status in (FAILED, RETRIED) and sqlstate not in own + lost + bad_luck:
                    wrong(f"timer {timer} failed with {sqlstate}", rows)
        for timer in ran:
            final = [status for status, _ in ends.get(timer, []) if status != RETRIED]
            if not it.option("job") and final != [FIRED]:
                wrong(f"timer {timer} ran, and the history says otherwise", *ends.get(timer, []))
        for timer in it.extra - set(ends):
            self.open.append(f"timer {timer} of {it.name}, run by hand: no trace of it")
