"""The torture: random operations from a seed against a real server, beside a model of what must be.

    make torture SECONDS=3600 SEED=7 BUILD=c

runs it for an hour; SEED is printed if none is given, and replays the choices of a run.  (What processes do at
the same moment no seed can repeat.)  In rounds of some seconds clients make transactions, consumers read, and faults
happen; at the quiet point after each round everything that is due has to be done, and
what the clients know, what actions have written, the history and the consumers have to agree.

clients.py      what clients do; model.py what must come of it
background.py   consumers, maintenance, long transactions, queues and roles that come and go
schedules.py, jobs.py   what clients do with these, and what must come of it
faults.py       what is killed, stopped and changed
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from server import BUILDS, Workspace, eventually, exit_on_signals  # noqa: E402
from torture.background import Admin, Consumer, Holder, Loop, Maintenance  # noqa: E402
from torture.clients import EXPECTED, Client, is_of_a_crash  # noqa: E402
from torture.faults import PATIENCE, Faults  # noqa: E402
from torture.model import Model  # noqa: E402

CLIENTS = 4


class Torture:
    def __init__(self, workspace, build, seed, seconds, patience=300, of_build=None):
        self.workspace, self.build, self.seed, self.seconds = workspace, build, seed, seconds
        self.of_build = of_build                    # another copy of the tree than the workspace's own
        self.patience = patience                    # seconds for everything that is due to be done
        self.model, self.counts, self.prepared = Model(), Counter(), {}
        self.failed, self.lines = None, []
        self.history = self.rng("history").choice(("all", "all", "all", "failures", "off"))
        self.server = self.over = None
        self.started = time.monotonic()

    def rng(self, name):
        return random.Random(f"{self.seed} {self.build} {name}")

    # -- what the threads use

    def connect(self, user, autocommit=True, **options):
        return self.server.connect("torture", user=user, autocommit=autocommit, **options)

    def clock(self):
        return datetime.now(timezone.utc)

    def log(self, who, text):
        self.lines.append(f"{self.clock():%H:%M:%S.%f} {who:<10} {text}")

    def fail(self, who, error):
        """The first error of any thread ends the run; the main thread tells it."""
        self.log(who, f"{type(error).__name__}: {error}")
        self.failed = self.failed or error

    def is_over(self):
        return self.over is not None and time.monotonic() > self.over

    def wait_until_up(self):
        def up():
            try:
                with self.connect("postgres") as conn:
                    return conn.execute("select true")
            except psycopg.OperationalError:
                return False
        eventually(up, PATIENCE)

    # -- the run

    def go(self):
        """Raises an AssertionError that says what is wrong, and how to see it again."""
        preload = {"shared_preload_libraries": "pgtq"} if self.build == "c" else {}
        self.server = self.workspace.server(build=self.of_build, max_connections=100, max_worker_processes=24, synchronous_commit="on",
                                            max_prepared_transactions=30, deadlock_timeout="200ms", **preload)
        try:
            self.prepare()
            self.started = time.monotonic()
            self.rounds()
        except Exception as error:
            raise AssertionError(f"{error}\n{self.keep_log()}") from error
        finally:
            self.server.stop("immediate")

    def prepare(self):
        db = self.server.create_db("torture", self.build)
        db.psql(file=self.workspace.main.src / "test/torture/schema.sql")
        with db.connect() as conn:
            conn.execute(f"alter database torture set pgtq.history = '{self.history}'")
            conn.execute("select pgtq.create_queue(q) from unnest(array['events', 'timers', 'more']) q")
            conn.execute("select pgtq.attach_executor('timers'), pgtq.attach_executor('more')")
            conn.execute("select pgtq.register_consumer('events', c) from unnest(array['one', 'two']) c")
            conn.execute("update pgtq.queue set queue_ticker_max_lag = '50 ms', queue_ticker_idle_period = '1 s',"
                         " queue_rotation_period = '0'")
            if self.rng("deferrable").random() < 0.3:       # then each action is a group of its own
                conn.execute("create table app.deferred (id integer unique deferrable initially deferred)")

    def rounds(self):
        end = time.monotonic() + self.seconds
        self.clients = [Client(self, n) for n in range(CLIENTS)]
        self.faults = Faults(self)
        for client in self.clients:
            client.start()
        while not self.counts["rounds"] or time.monotonic() < end:
            self.round(end)
            self.counts["rounds"] += 1

    def round(self, end):
        self.over = max(end, time.monotonic() + 5)
        consumers = [Consumer(self, name) for name in ("one", "two")]
        others = [Maintenance(self, "maintain 1"), Maintenance(self, "maintain 2"), Holder(self, "holder"), Admin(self, "admin")]
        loops = [] if self.build == "c" else \
            [Loop(self, f"loop {n}", "postgres", ["tick", "maintain"]) for n in (1, 2)] \
            + [Loop(self, f"loop {role} {n}", role, ["run"]) for role in ("alice", "bob") for n in (1, 2)]
        for client in self.clients:
            client.idle.clear()
            client.rounds.release()
        threads = consumers + others + loops
        try:
            while not all(client.idle.is_set() for client in self.clients) and not self.failed:
                self.faults.one()
                time.sleep(self.faults.rng.random() * 1.5)
            self.faults.end()
            self.end(others)
            self.quiet_point([c.name for c in consumers])
        finally:
            self.end(consumers + loops)
        if self.failed:
            raise self.failed

    def end(self, threads):
        for thread in threads:
            thread.stop.set()
        for thread in threads:
            thread.join(30)

    def quiet_point(self, consumers):
        self.over = 0                       # no more retries
        self.as_admin(self.model.schedules.quieten)
        deadline = time.monotonic() + self.patience
        while True:
            if self.failed:
                raise self.failed
            try:
                with self.connect("postgres") as conn:
                    wrong, unfinished = self.model.check(conn, consumers, self.history)
            except EXPECTED:
                continue
            if wrong or not unfinished:
                break
            if time.monotonic() > deadline:
                wrong = [f"not done after {self.patience} s: {text}" for text in unfinished]
                break
            time.sleep(0.2)
        self.log("check", f"{len(wrong)} wrong")
        if wrong:
            raise AssertionError("\n".join(text[:2000] for text in wrong[:8]) + (f"\n... {len(wrong)} in all" if len(wrong) > 8 else ""))

        self.as_admin(self.model.schedules.go_on)

    def as_admin(self, work):
        """Until it is done, should somebody who is about to leave be in the way."""
        while True:
            try:
                with self.connect("postgres") as conn:
                    return work(conn, self.clock)
            except psycopg.Error as error:
                if not is_of_a_crash(error, None) and not isinstance(error, EXPECTED):
                    raise
                self.wait_until_up()

    # -- what is said about it

    def keep_log(self):
        folder = Path(tempfile.gettempdir()) / f"pgtq-torture-{self.build}-{self.seed}"
        folder.mkdir(exist_ok=True)
        (folder / "operations").write_text("\n".join(self.lines) + "\n")
        (folder / "server").write_text(self.server.log())
        faults = "\n".join([line for line in self.lines if line[16:22] in ("faults", "check ")][-12:])
        return f"{faults}\n{self.summary()}\nlogs: {folder}\nagain: make torture SEED={self.seed} BUILD={self.build} SECONDS={self.seconds}"

    def summary(self):
        counts = ", ".join(f"{n} {what}" for what, n in sorted(self.counts.items()))
        return f"seed {self.seed}, build {self.build}, history {self.history}, after {time.monotonic() - self.started:.0f} s: {len(self.model.timers)} timers, " \
            f"{len(self.model.schedules.definitions)} schedules, {len(self.model.jobs.jobs)} jobs, {counts}"


def main():
    parser = argparse.ArgumentParser(description="Tortures pgtq.")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", default=str(random.randrange(10**6)))
    parser.add_argument("--build", choices=BUILDS, action="append")
    options = parser.parse_args()
    exit_on_signals()
    print(f"SEED={options.seed}", flush=True)
    builds = options.build or BUILDS
    with Workspace() as workspace:
        for build in builds:
            torture = Torture(workspace, build, options.seed, options.seconds / len(builds))
            try:
                torture.go()
            except AssertionError as error:
                print(error)
                return 1
            print(torture.summary(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
