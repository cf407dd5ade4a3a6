"""pg_timers, if it is installed: a table and one worker, in the one database that its setting names."""

import os


class PgTimers:
    name = "pg_timers"
    schema = "timers"
    dbname = "bench_pg_timers"
    settings = {"shared_preload_libraries": "pg_timers", "pg_timers.database": dbname}

    def missing(self, workspace):
        control = os.path.join(workspace.config("sharedir"), "extension", "pg_timers.control")
        return None if os.path.exists(control) else "pg_timers' extension is not installed"

    def install(self, server, dbname):
        """Its worker, once ended with its database, is not started again: so the server is."""
        server.psql(dbname, "create extension pg_timers")
        if dbname == self.dbname:
            server.restart()

    def version(self, conn):
        return conn.execute("select default_version from pg_available_extensions where name = 'pg_timers'").fetchone()[0]

    def begin(self, rep, conn):
        pass

    def ready(self, conn):
        """The worker tries again every five seconds until its database is there."""
        return conn.execute("select count(*) from pg_stat_activity where backend_type = 'pg_timers worker'"
                            " and datname = current_database()").fetchone()[0] == 1

    def end(self):
        pass

    def schedule(self, conn, count, due, action):
        """Rows into its table, which its functions insert one by one; one call tells the worker to look."""
        with conn.transaction():
            conn.execute(f"insert into timers.timers (fire_at, action) select {due}, {action} from generate_series(2, {count}) i")
            conn.execute(f"select timers.schedule_at({due}, {action}) from generate_series(1, 1) i")

    # -- timers that lie in the future, see timer_table.py

    def prepare_timers(self, conn):
        pass

    def schedule_sql(self, delay, action):
        return f"select timers.schedule_in({delay}, {action}) as id"

    def schedule_many_sql(self, count, delay, action):
        return f"select count(timers.schedule_in({delay}, {action})) from generate_series(1, {count}) i"

    def cancel_sql(self):
        return "select timers.cancel(:id)"


SYSTEM = PgTimers()
