"""Jobs: what clients do with them, and what must come of it.

A job commits by itself, so a crash may leave a part of it done; app.step() notes how far each attempt came.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

ACTIONS = {
    "two": "select app.step('{tag}', 1); select pg_sleep({short}); select app.step('{tag}', 2)",
    "one": "select app.step('{tag}', 1), app.step('{tag}', 2)",
    "call": "call app.steps('{tag}', {short})",         # commits in between
    "fail": "select app.step('{tag}', 1); select 1 / 0",
}
GROUPS = {"free": None, "single": 1, "pair": 2}         # and how many of it may run at once
FIRED, FAILED, CANCELLED, EXPIRED, RETRIED = 1, 2, 3, 4, 5
LOST = "08006"


@dataclass
class Job:
    id: int
    kind: str
    tag: str
    role: str
    due: datetime
    group: str
    attempts: int
    on_crash: str
    expires: bool
    cancels: int = 0            # how often somebody was told that it is cancelled
    missed: bool = False        # somebody was told that it has begun, or is done


@dataclass
class Jobs:
    """The model: what clients have committed."""
    jobs: dict = field(default_factory=dict)
    aborted: set = field(default_factory=set)

    def commit(self, what, *arguments):
        if what == "submit":
            self.jobs[arguments[0].id] = arguments[0]
        else:
            id, answer = arguments
            self.jobs[id].cancels += answer
            self.jobs[id].missed |= not answer

    def rollback(self, what, job, *_):
        if what == "submit":
            self.aborted.add(job.id)


# -- what clients do

def submit(client, tx):
    rng = client.rng
    kind = rng.choice(["two"] * 4 + ["one", "fail"] + ["call"] * (client.run_.build == "c"))
    tag, due = client.tag(kind), client.due()
    group = rng.choice(list(GROUPS))
    options = {"at": due, "job_group": group, "group_limit": GROUPS[group], "priority": rng.randrange(3),
               "max_attempts": rng.choice((1, 1, 2, 4)), "backoff": timedelta(milliseconds=50), "on_crash": rng.choice(("fail", "retry"))}
    if rng.random() < 0.1:
        options["expires_in"] = timedelta(milliseconds=rng.choice((1, 100, 5000)))
    if rng.random() < 0.3:
        options["session_life"] = timedelta(seconds=1)
    names = "".join(f", {name} => %s" for name in options)
    id = client.ask(f"select pgtq.submit_job(%s{names})", ACTIONS[kind].format(tag=tag, short=round(rng.random() ** 2, 3)),
                    *options.values())
    job = Job(id, kind, tag, client.role, due, group, options["max_attempts"], options["on_crash"], "expires_in" in options)
    client.did(tx, "job", "submit", job)
    tx.jobs.append(id)


def cancel(client, tx):
    jobs = (client.jobs + tx.jobs)[-6:]                # of which some run
    if jobs:
        id = client.rng.choice(jobs)
        client.did(tx, "job", "cancel", id, client.ask("select pgtq.cancel_job(%s)", id))


# -- what the database says

class Findings:
    def __init__(self, conn, model):
        self.model = model

        def rows(query):
            return conn.execute(query).fetchall()

        self.now = rows("select clock_timestamp()")[0][0]
        self.steps = defaultdict(list)
        for job, *rest in rows("select job, tag, step, who, began, at from app.step order by at"):
            self.steps[job].append(rest)
        self.there = {id: rest for id, *rest in rows(
            "select jo_id, jo_state, jo_due, jo_attempt from pgtq.job where jo_schedule is null")}
        self.history = defaultdict(list)
        for id, *rest in rows("select hi_timer, hi_status, hi_sqlstate from pgtq.history"
                              " where hi_group is not null and hi_schedule is null order by hi_attempt, hi_finished"):
            self.history[id].append(rest)

    def judge(self, history, bad_luck):
        self.wrong, self.open = [], []
        for job in self.model.jobs.values():
            self.judge_job(job, history, bad_luck)
        for id in self.model.aborted - self.model.jobs.keys():
            if id in self.there or id in self.history and self.history[id] or id in self.steps:
                self.wrong.append(f"job {id} was rolled back, but is there: {self.there.get(id)}, {self.steps.get(id)}")
        for id in {*self.there, *self.steps} - self.model.jobs.keys() - self.model.aborted:
            self.wrong.append(f"job {id}: nobody knows it: {self.there.get(id)}, {self.steps.get(id)}")
        self.judge_groups()
        return self.wrong, self.open

    def judge_job(self, job, history, bad_luck):
        there, rows, steps = self.there.get(job.id), self.history.get(job.id, []), self.steps.get(job.id, [])
        times = Counter(step for _, step, *_ in steps)
        ends = [status for status, _ in rows if status != RETRIED]
        retries = len(rows) - len(ends)
        tries = retries + sum(status in (FIRED, FAILED) for status in ends)

        def wrong(text):
            self.wrong.append(f"{job} {text}; it is {there}, history {rows}, steps {[str(s) for s in steps]}")

        for tag, _, who, began, at in steps:
            if tag != job.tag or who != job.role:
                wrong(f"ran {tag} as {who}")
            if began < job.due or at < job.due:
                wrong("ran too early")
        if times[1] > job.attempts or times[2] > times[1]:
            wrong("ran too often")
        if there and ends:
            wrong("has an end, and is there")
        if len(ends) > 1:
            wrong("has more than one end")
        if job.cancels > 1 or job.cancels and there:
            wrong(f"cancelled {job.cancels} times")
        if job.missed and there and there[0] < 2 and not there[2]:
            wrong("somebody was told that it is not planned any more")
        if there and (there[0] or there[1] <= self.now):
            self.open.append(f"{job} is not done: {there}")
        elif not there and not job.cancels:
            self.judge_gone(job, ends, times, history, bad_luck, wrong)
        if history != "all":
            return
        if job.cancels and ends != [CANCELLED]:
            wrong("was cancelled, and the history says otherwise")
        if times[1] > tries + bool(there and there[0]):
            wrong(f"ran more often than the history says")
        if tries > job.attempts or there and there[2] != retries:
            wrong("tried too often")
        for status, sqlstate in rows:
            if status in (FAILED, RETRIED) and sqlstate not in (("22012",) if job.kind == "fail" else ()) + (LOST,) + bad_luck:
                wrong(f"failed with {sqlstate}")
            if sqlstate == LOST and (status == RETRIED and job.on_crash == "fail"
                                     or status == FAILED and job.on_crash == "retry" and tries < job.attempts):
                wrong("lost its session, and what was done about it is not what was asked for")

    def judge_gone(self, job, ends, times, history, bad_luck, wrong):
        if history == "all" and not ends:
            wrong("is nowhere")
        if FIRED in ends and (job.kind == "fail" or not times[2]):
            wrong("is done, and has not been")
        if EXPIRED in ends and not job.expires:
            wrong("expired, and has no such time")
        if CANCELLED in ends and not job.cancels:
            wrong("is cancelled, and nobody was told so")
        if history == "failures" and not ends and (job.kind == "fail" or not times[2]):
            wrong("is nowhere")

    def judge_groups(self):
        """No more of a group have run at once than may."""
        spans = defaultdict(list)
        for id, steps in self.steps.items():
            job = self.model.jobs.get(id)
            begun = None
            for _, step, _, _, at in steps:
                if step == 1:
                    begun = at
                elif job and begun:
                    spans[job.role, job.group] += [(begun, 1, id), (at, -1, id)]
        for (role, group), moments in spans.items():
            running = []
            for at, change, id in sorted(moments):
                running.append(id) if change > 0 else running.remove(id)
                if GROUPS[group] and len(running) > GROUPS[group]:
                    self.wrong.append(f"group {group} of {role}: {running} ran at the same time, {at}")
