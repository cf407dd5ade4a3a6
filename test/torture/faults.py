"""Faults: what is killed, stopped and changed while the clients work.

All of them happen in the main thread, one after another, chosen by a generator made from the seed.
"""

import os
import shutil
import signal
import time

import psycopg

from server import CommandFailed, eventually

KILLABLE = ("pgtq session", "pgtq executor", "pgtq ticker", "pgtq maintenance", "pgtq jobs", "pgtq job", "pgtq launcher", "client backend",
            "checkpointer", "walwriter", "background writer", "autovacuum launcher")
PATIENCE = 120              # seconds, for a server that has little time
SETTINGS = {
    "pgtq.max_sessions": ("1", "2", "4", "8"),
    "pgtq.max_sessions_per_role": ("1", "2", "4"),
    "pgtq.max_job_sessions": ("1", "2", "3"),
    "pgtq.session_idle_timeout": ("10ms", "1s", "60s"),
    "pgtq.commit_interval": ("1ms", "20ms", "200ms"),
    "pgtq.move_limit": ("1", "7", "100", "10000"),
    "pgtq.maintenance_interval": ("1s", "60s"),
    "pgtq.truncate_patience": ("1s", "600s"),
    "pgtq.notify_ticks": ("on", "off"),
    "pgtq.enabled": ("off", "on"),
    "wal_writer_delay": ("1ms", "10s"),
}


class Faults:
    def __init__(self, run):
        self.run, self.rng = run, run.rng("faults")
        self.settings = [name for name in SETTINGS if run.build == "c" or "." not in name]
        self.choices = {"kill": 4, "terminate": 3, "cancel": 1, "freeze": 1, "change a setting": 4,
                        "immediate shutdown": 1, "fast restart": 1, "kill the postmaster": 1, "failover": 1}
        if run.history == "off":            # who is stopped fails, and nothing says so
            del self.choices["cancel"]

    def one(self):
        name = self.rng.choices(list(self.choices), list(self.choices.values()))[0]
        self.run.log("faults", name)
        getattr(self, name.replace(" ", "_"))()
        self.run.counts[name] += 1
        # an action that is stopped fails, and so does one whose session dies three times
        counts = self.run.counts
        self.run.model.bad_luck = ("57014",) * bool(counts["cancel"]) + ("57P01",) * (counts["kill"] + counts["crashes"] + counts["terminate"] > 2)

    # -- processes

    def victim(self, kinds):
        """One of the processes of a kind, as the database says."""
        kind = self.rng.choice(kinds)
        rows = self.rows("select pid, backend_type from pg_stat_activity where backend_type = %s and pid <> pg_backend_pid()"
                         " order by pid", kind)
        return self.rng.choice(rows) if rows else (None, kind)

    def rows(self, query, *parameters):
        try:
            with self.run.connect("postgres") as conn:
                return conn.execute(query, parameters).fetchall()
        except psycopg.OperationalError:
            return []

    def signal(self, pid, number):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass

    def kill(self):
        pid, kind = self.victim(KILLABLE)
        self.run.log("faults", f"kill -9 {kind} {pid}")
        if pid:
            with self.run.connect("postgres") as witness:
                self.signal(pid, signal.SIGKILL)
                self.run.counts["crashes"] += 1
                try:
                    eventually(lambda: self.is_broken(witness), 5)
                except AssertionError:
                    self.run.log("faults", "it had gone already")
                    self.run.counts["crashes"] -= 1
            self.run.wait_until_up()

    def is_broken(self, conn):
        try:
            conn.execute("select true")
            return False
        except psycopg.OperationalError:
            return True

    def terminate(self):
        pid, kind = self.victim(KILLABLE[:8])
        self.run.log("faults", f"terminate {kind} {pid}")
        if pid:
            self.signal(pid, signal.SIGTERM)

    def cancel(self):
        pid, kind = self.victim(KILLABLE[:6])
        self.run.log("faults", f"cancel {kind} {pid}")
        if pid:
            self.signal(pid, signal.SIGINT)

    def freeze(self):
        """A process that does not get the processor for a while."""
        pid, kind = self.victim(KILLABLE[:8])
        self.run.log("faults", f"freeze {kind} {pid}")
        if pid:
            self.signal(pid, signal.SIGSTOP)
            time.sleep(self.rng.random())
            self.signal(pid, signal.SIGCONT)

    # -- the server

    def immediate_shutdown(self):
        self.run.counts["crashes"] += 1
        self.run.server.stop("immediate")
        self.start()

    def fast_restart(self):
        self.run.server.stop("fast")
        self.start()

    def kill_the_postmaster(self):
        self.run.counts["crashes"] += 1
        self.run.server.process.kill()
        self.run.server.process.wait()
        self.start()

    def start(self):
        """The children of a postmaster that was killed leave only by and by."""
        def started():
            try:
                self.run.server.start()
                return True
            except CommandFailed as error:
                if "shared memory block" in str(error)[-2000:]:
                    return False
                raise
        eventually(started, PATIENCE, 0.1)

    def failover(self):
        """A synchronous standby takes over while the clients work; the old primary is gone for good."""
        old = self.run.server
        self.run.counts["failovers"] += 1
        new = old.standby()
        self.alter("synchronous_standby_names", "*")
        eventually(lambda: self.rows("select from pg_stat_replication where sync_state = 'sync'"), PATIENCE)
        (lsn,) = self.rows("select pg_current_wal_lsn()")[0]
        eventually(lambda: self.rows("select from pg_stat_replication where flush_lsn >= %s::pg_lsn", lsn), PATIENCE)
        time.sleep(self.rng.random() * 3)
        self.run.log("faults", "the primary is killed")
        old.stop("immediate") if self.rng.random() < 0.5 else (old.process.kill(), old.process.wait())
        self.run.counts["crashes"] += 1
        new.promote()
        self.run.server = new
        shutil.rmtree(old.data, ignore_errors=True)

    # -- settings

    def alter(self, name, value):
        with self.run.connect("postgres") as conn:
            conn.execute(f"alter system set {name} = '{value}'")
            conn.execute("select pg_reload_conf()")

    def change_a_setting(self):
        name = self.rng.choice(self.settings)
        value = self.rng.choice(SETTINGS[name])
        self.run.log("faults", f"{name} = {value}")
        try:
            self.alter(name, value)
        except psycopg.OperationalError:
            self.run.wait_until_up()

    def end(self):
        """Lets everything run again."""
        def restored():
            try:
                with self.run.connect("postgres") as conn:
                    for name in self.settings:
                        conn.execute(f"alter system reset {name}")
                    return conn.execute("select pg_reload_conf()")
            except psycopg.OperationalError:
                return False
        eventually(restored, PATIENCE)
