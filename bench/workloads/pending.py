"""What one call costs when few timers are pending, and when very many are."""

import time

from workloads import DATA_100

SYSTEMS = ["pgtq_c"]
FEW = 10_000

FIGURES = {
    "schedule": ("cost ratio", "lower", "schedule_in, many pending over few"),
    "cancel": ("cost ratio", "lower", "cancel"),
    "move": ("cost ratio", "lower", "a move of one timer"),
    "next_due": ("cost ratio", "lower", "a look for the next due time"),
}


def run(rep):
    many = 10_000_000 if rep.full else 1_000_000
    with rep.connect(sync="off") as conn:
        rep.system.prepare_timers(conn)
        fill(rep, conn, FEW)
        few = costs(conn)
        fill(rep, conn, many)
        rep.checkpoint()
        costs(conn)             # warm
        lots = costs(conn)
    return {name: lots[name] / few[name] for name in FIGURES}, {"few": few, "many": lots, "pending": many}


def fill(rep, conn, count):
    while count > 0:
        slice_ = min(count, 200_000)
        conn.execute(rep.system.schedule_many_sql(slice_, "interval '1 day' + random() * interval '300 days'", DATA_100))
        count -= slice_


def costs(conn, calls=2000):
    """Microseconds of each call, the median of many."""
    def timed(sql, *args):
        start = time.perf_counter()
        row = conn.execute(sql, args, prepare=True).fetchone()
        return (time.perf_counter() - start) * 1e6, row

    spent = {"schedule": [], "cancel": [], "move": [], "next_due": []}
    for _ in range(calls):
        us, (timer,) = timed("select pgtq.schedule_in(interval '1 day' + random() * interval '300 days', 'select 1')")
        spent["schedule"].append(us)
        spent["cancel"].append(timed("select pgtq.cancel(%s)", timer)[0])
        conn.execute("select pgtq.schedule_in('0', 'select 1')", prepare=True)
        us, (moved,) = timed("select moved from pgtq._move_due(10)")
        if moved != 1:
            raise RuntimeError(f"{moved} moved")
        spent["move"].append(us)
        spent["next_due"].append(timed("select pgtq._next_due()")[0])
    return {name: sorted(values)[len(values) // 2] for name, values in spent.items()}
