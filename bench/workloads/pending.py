"""What one call costs when few timers are pending, and when very many are.

pg_timers' table does the same: a row that is inserted, cancelled, taken and marked. Its costs are of its own; what is
compared is how they grow.
"""

import time

from workloads import DATA_100

SYSTEMS = ["pgtq_c", "status_table"]
FEW = 10_000

FIGURES = {
    "schedule": ("cost ratio", "lower", "scheduling, many pending over 10,000"),
    "cancel": ("cost ratio", "lower", "cancelling"),
    "due": ("cost ratio", "lower", "taking one timer that is due"),
    "next_due": ("cost ratio", "lower", "looking for the next due time"),
}


def run(rep):
    levels = [10 * FEW, 100 * FEW] + ([1000 * FEW] if rep.full else [])
    with rep.connect(sync="off") as conn:
        rep.system.prepare_timers(conn)
        fill(rep, conn, FEW)
        found = {FEW: costs(rep, conn)}
        pending = FEW
        for level in levels:
            fill(rep, conn, level - pending)
            pending = level
            rep.checkpoint()
            costs(rep, conn)        # warm
            found[level] = costs(rep, conn)
    return {name: found[pending][name] / found[FEW][name] for name in FIGURES}, {"microseconds": found}


def fill(rep, conn, count):
    while count > 0:
        slice_ = min(count, 200_000)
        conn.execute(rep.system.schedule_many_sql(slice_, "interval '1 day' + random() * interval '300 days'", DATA_100))
        count -= slice_


def costs(rep, conn, calls=2000):
    """Microseconds of each call, the median of many."""
    def timed(sql, *args):
        start = time.perf_counter()
        cursor = conn.execute(sql, args, prepare=True)
        row = cursor.fetchone() if cursor.description else None
        return (time.perf_counter() - start) * 1e6, row

    far = rep.system.schedule_sql("interval '1 day' + random() * interval '300 days'", "'select 1'")
    near = rep.system.schedule_sql("interval '0'", "'select 1'")
    cancel = rep.system.cancel_sql().replace(":id", "%s")
    spent = {name: [] for name in FIGURES}
    for _ in range(calls):
        us, (timer,) = timed(far)
        spent["schedule"].append(us)
        spent["cancel"].append(timed(cancel, timer)[0])
        conn.execute(near, prepare=True)
        us, (taken,) = timed(rep.system.due_sql())
        rep.expect("timers taken", taken, 1)
        spent["due"].append(us)
        spent["next_due"].append(timed(rep.system.next_due_sql())[0])
    return {name: sorted(values)[len(values) // 2] for name, values in spent.items()}
