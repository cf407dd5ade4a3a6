"""pgtq with its background workers: timers run by the executor."""

from systems.pgtq_c import PgtqC


class PgtqTimers(PgtqC):
    settings = {"shared_preload_libraries": "pgtq", "max_worker_processes": 16,
                "pgtq.max_sessions_per_role": 1}

    def begin(self, rep, conn):
        """Has the queue, the executor and its session started."""
        conn.execute("create table warm (a int)")
        conn.execute("select pgtq.schedule_in('0', 'insert into warm values (1)')")

    def ready(self, conn):
        return conn.execute("select count(*) from warm").fetchone()[0] == 1

    def end(self):
        pass

    def every_minute_sql(self, name, action):
        return f"select pgtq.schedule_cron('{name}', '* * * * *', $${action}$$)"


SYSTEM = PgtqTimers("pgtq_timers")
