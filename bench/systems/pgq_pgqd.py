"""PgQ with its daemon, pgqd, as the package configures it; queues as create_queue() leaves them.

Its consumers ask again and again; here every 10 ms, which is more often than they usually do.
"""

import shutil
import subprocess

from systems.pgq_api import CONSUMER, QUEUE
from systems.pgq_c import PgqC

CONFIG = """
[pgqd]
base_connstr = host={host} user=postgres
initial_database = postgres
database_list = {database}
logfile = {path}/pgqd.log
pidfile = {path}/pgqd.pid
ticker_period = 1
retry_period = 30
maint_period = 120
check_period = 60
syslog = 0
"""


class PgqDaemon(PgqC):
    def missing(self, workspace):
        if not shutil.which("pgqd"):
            return "pgqd is not installed"
        return super().missing(workspace)

    def create_queue(self, conn):
        conn.execute("select pgq.create_queue(%s)", [QUEUE])
        conn.execute("select pgq.register_consumer(%s, %s)", [QUEUE, CONSUMER])

    def running(self, rep):
        return _Daemon(rep)

    def wait_sql(self):
        return f"select pgq.next_batch('{QUEUE}', '{CONSUMER}')"


class _Daemon:
    """pgqd for the database of a repetition."""

    def __init__(self, rep):
        self.rep = rep

    def __enter__(self):
        server = self.rep.server
        config = server.path / "pgqd.ini"
        config.write_text(CONFIG.format(host=server.path, database=self.rep.dbname, path=server.path))
        self.process = subprocess.Popen(
            ["pgqd", "-q", str(config)], env=server.workspace.env, cwd=server.path,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **server.workspace.as_user()
        )  # fmt: skip
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


SYSTEM = PgqDaemon("pgq_pgqd")
