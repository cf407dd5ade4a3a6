"""A private server for one system, and one repetition's view of it.

Every system has a server of its own with the same settings: what one leaves behind
(dirty buffers, dead rows, a library that is preloaded) cannot be billed to another.
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
from types import SimpleNamespace

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "test"))

from server import CommandFailed, Workspace, eventually, exit_on_signals  # noqa: E402,F401  (test/server.py)

# The same for all; fsync stays on. Checkpoints come when the runner asks for one.
SETTINGS = {
    "shared_buffers": "512MB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
    "fsync": "on",
    "autovacuum": "on",
    "jit": "off",
}

# What the result file records, as the running server says it.
RECORDED = sorted(SETTINGS) + [
    "full_page_writes",
    "shared_preload_libraries",
    "synchronous_commit",
    "wal_level",
    "wal_sync_method",
]

# No single statement of a workload should come near this.
STATEMENT_TIMEOUT = "120s"


def start(workspace, system):
    """A running server with the settings above and what the system itself needs."""
    return workspace.server(**{**SETTINGS, **system.settings})


class Repetition:
    """What a workload gets: a system in a fresh database, and tools to measure with."""

    def __init__(self, system, server, full):
        self.system = system
        self.server = server
        self.full = full
        self.dbname = None
        self._count = 0

    # -- databases ------------------------------------------------------------

    def fresh_database(self):
        """Replaces the repetition's database by a new one with the system installed."""
        self.drop_database()
        self._count += 1
        self.dbname = getattr(self.system, "dbname", f"bench_{self.system.name}_{self._count}")
        create_database(self.system, self.server, self.dbname)

    def drop_database(self):
        if self.dbname:
            self.server.drop_db(self.dbname)
            self.dbname = None

    def checkpoint(self):
        """Starts every measurement with clean buffers and the whole WAL budget.

        Clean in the kernel too: what initdb or a dropped database has left to be
        written would otherwise hold up the commits of whoever comes next.
        """
        with self.server.connect() as conn:
            conn.execute("checkpoint")
        os.sync()

    # -- clients --------------------------------------------------------------

    @contextlib.contextmanager
    def connect(self, sync="on"):
        """A session in which every statement is a transaction of its own."""
        with self.server.connect(self.dbname) as conn:
            conn.execute(f"set statement_timeout = '{STATEMENT_TIMEOUT}'")
            conn.execute(f"set synchronous_commit = {sync}")
            yield conn

    def pgbench(self, script, clients, seconds, sync):
        with self.pgbench_running(script, clients, seconds, sync) as job:
            return job.result()

    @contextlib.contextmanager
    def pgbench_running(self, script, clients, seconds, sync):
        """pgbench in the background; job.result() waits for its end.

        The script reaches pgbench as a file, its speed comes back second by second.
        """
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as f:
            f.write(script)
            f.flush()
            command = [
                os.path.join(self.server.workspace.bindir, "pgbench"),
                "-n", "-M", "prepared", "-P", "1",
                "-c", str(clients), "-j", str(clients), "-T", str(seconds),
                "-f", f.name, self.server.conninfo(self.dbname),
            ]  # fmt: skip
            options = f"-c synchronous_commit={sync} -c statement_timeout={STATEMENT_TIMEOUT}"
            env = {**self.server.workspace.env, "PGOPTIONS": options}
            process = subprocess.Popen(
                command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            try:
                yield SimpleNamespace(result=lambda: _pgbench_result(process, seconds))
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    def wait_for_clients_to_leave(self, conn, stay):
        """Statistics of a session are complete when it has gone. stay: pids that remain."""
        others = (
            "select count(*) = 0 from pg_stat_activity where datname = current_database()"
            " and backend_type = 'client backend' and pid <> all(%s)"
        )
        stay = [*stay, conn.info.backend_pid]
        eventually(lambda: conn.execute(others, [stay]).fetchone()[0])

    @staticmethod
    def expect(what, got, wanted):
        """A figure of a system that lost something is worth nothing."""
        if got != wanted:
            raise RuntimeError(f"{what}: {got} instead of {wanted}")


def create_database(system, server, dbname):
    """A new database with the system in it."""
    with server.connect() as conn:
        conn.execute(f"create database {dbname}")
    system.install(server, dbname)


def _pgbench_result(process, seconds):
    output, _ = process.communicate(timeout=seconds + 60)
    tps = re.search(r"^tps = ([0-9.]+)", output, re.M)
    if process.returncode or not tps or "ERROR" in output:
        raise RuntimeError("pgbench failed:\n" + output[-2000:])
    return SimpleNamespace(
        tps=float(tps.group(1)),
        transactions=int(re.search(r"actually processed: (\d+)", output).group(1)),
        per_second=[float(x) for x in re.findall(r"^progress: [0-9.]+ s, ([0-9.]+) tps", output, re.M)],
    )


def server_facts(system, server):
    """Versions and settings of one system, for the result file."""
    create_database(system, server, "facts")
    with server.connect("facts") as conn:
        facts = {
            "version": system.version(conn),
            "postgres": conn.execute("show server_version").fetchone()[0],
            "settings": dict(
                conn.execute(
                    "select name, current_setting(name) from pg_settings where name = any(%s)", [RECORDED]
                ).fetchall()
            ),
        }
    server.drop_db("facts")
    return facts
