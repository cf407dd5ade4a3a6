"""pg_cron, with background workers as its docs offer them, in the one database that its setting names."""

import os


class PgCron:
    name = "pg_cron"
    dbname = "bench_pg_cron"
    settings = {"shared_preload_libraries": "pg_cron", "cron.database_name": dbname,
                "cron.use_background_workers": "on", "max_worker_processes": 60}

    def missing(self, workspace):
        control = os.path.join(workspace.config("sharedir"), "extension", "pg_cron.control")
        return None if os.path.exists(control) else "pg_cron's extension is not installed"

    def install(self, server, dbname):
        if dbname == self.dbname:       # it refuses any other
            server.psql(dbname, "create extension pg_cron")

    def version(self, conn):
        return conn.execute("select default_version from pg_available_extensions where name = 'pg_cron'").fetchone()[0]

    def begin(self, rep, conn):
        pass

    def ready(self, conn):
        return True

    def end(self):
        pass

    def every_minute_sql(self, name, action):
        return f"select cron.schedule('{name}', '* * * * *', $${action}$$)"


SYSTEM = PgCron()
