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
