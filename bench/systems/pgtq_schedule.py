"""pgtq's answers to what the timer workloads ask, in both builds; see timer_table.py."""


class PgtqSchedule:
    def prepare_timers(self, conn):
        conn.execute("select pgtq.schedule_in('100 years', 'select 1')")  # makes the queue

    def schedule_sql(self, delay, action):
        return f"select pgtq.schedule_in({delay}, {action}) as id"

    def schedule_many_sql(self, count, delay, action):
        return (
            "select cardinality(pgtq.schedule_many("
            f"array(select clock_timestamp() + {delay} from generate_series(1, {count}) i),"
            f" array(select {action} from generate_series(1, {count}) i)))"
        )

    def cancel_sql(self):
        return "select pgtq.cancel(:id)"

    def due_sql(self):
        """What a worker does for one timer that is due, but for running it."""
        return "select moved from pgtq._move_due(10)"

    def next_due_sql(self):
        return "select pgtq._next_due()"

    def schedule(self, conn, count, due, action):
        """count timers; due and action are SQL expressions that may use the row number i."""
        conn.execute(f"select cardinality(pgtq.schedule_many(array_agg({due}), array_agg({action})))"
                     f" from generate_series(1, {count}) i")
