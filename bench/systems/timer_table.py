"""Timers as people build them by hand, to compare with: one table, no extension.

What the timer workloads ask of a system is here, for the others to answer as well:
schedule_sql, schedule_many_sql, cancel_sql (:id is the timer's id).
"""


class TimerTable:
    settings = {}
    ddl = None
    version_text = None

    def __init__(self, name):
        self.name = name

    def missing(self, workspace):
        return None

    def install(self, server, dbname):
        server.psql(dbname, self.ddl)

    def version(self, conn):
        return self.version_text

    def prepare_timers(self, conn):
        pass

    def schedule_sql(self, delay, action):
        return f"insert into timer (due, action) values (clock_timestamp() + {delay}, {action}) returning id"

    def schedule_many_sql(self, count, delay, action):
        """delay and action are SQL expressions that may use the row number i."""
        return (
            f"insert into timer (due, action) select clock_timestamp() + {delay}, {action}"
            f" from generate_series(1, {count}) i"
        )
