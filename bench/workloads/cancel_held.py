"""Timers that are scheduled and mostly cancelled, while somebody holds a snapshot open.

What a session timeout or a debounce does: 95 of 100 timers never fire. The snapshot keeps dead rows
from being cleaned up; a system is flat if the end of the run is as fast as its start.
"""

import time

SYSTEMS = ["pgtq_c", "status_table", "pgtq_pl"]

FIGURES = {
    "pairs": ("timers/s", "higher", "scheduled, and 95 % cancelled; whole run"),
    "kept": ("last/first", "higher", "the same, end of the run over its start"),
}
SERIES = {"per_second": "timers/s"}


def run(rep):
    seconds = 180 if rep.full else 20
    part = 20 if rep.full else 4
    with rep.connect() as conn:
        rep.system.prepare_timers(conn)
    script = (
        rep.system.schedule_sql("interval '1 s'", "'select 1'") + " \\gset\n"
        "\\set r random(1, 100)\n\\if :r <= 95\n" + rep.system.cancel_sql() + ";\n\\endif\n"
    )
    rep.checkpoint()
    with rep.connect() as holder:
        holder.execute("begin isolation level repeatable read")
        holder.execute("select count(*) from pg_class")
        with rep.pgbench_running(script, 1, seconds, "off") as job, rep.connect() as conn:
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline:
                if rep.system.name == "status_table":
                    conn.execute("update timer set status = 1, fired_at = now() where id in (select id from timer"
                                 " where status = 0 and due <= now() order by due limit 64 for update skip locked)")
                else:
                    conn.execute("select * from pgtq._move_due(10000)")
                    conn.execute("select pgtq.maint_rotate_tables_step2()")
                time.sleep(0.1)
            result = job.result()
        holder.execute("rollback")
    rates = result.per_second
    first, last = rates[1:part + 1], rates[-part:]
    return (
        {"pairs": result.tps, "kept": (sum(last) / len(last)) / (sum(first) / len(first))},
        {"per_second": rates, "interval_seconds": 1, "seconds": seconds},
    )
