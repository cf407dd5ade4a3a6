"""Twenty schedules that are due every minute: how late their actions begin."""

import time

from cluster import eventually
from consume import percentile

SYSTEMS = ["pgtq_timers", "pg_cron"]
SCHEDULES = 20

FIGURES = {
    "p50": ("ms", "lower", "lateness of a run every minute, p50"),
    "max": ("ms", "lower", "the same, max"),
}


def run(rep):
    minutes = 5 if rep.full else 2
    with rep.connect() as conn:
        conn.execute("create table run (name text, at timestamptz default clock_timestamp())")
        rep.system.begin(rep, conn)
        try:
            eventually(lambda: rep.system.ready(conn))
            for n in range(SCHEDULES):
                conn.execute(rep.system.every_minute_sql(f"s{n}", f"insert into run values ('s{n}')"))
            # a run that is later than the next minute's would look early
            time.sleep(60 * minutes + 30)
            runs = conn.execute("select name, extract(epoch from at - date_trunc('minute', at))::float8 * 1000"
                                " from run").fetchall()
        finally:
            rep.system.end()
    late = [late for _, late in runs]
    if not SCHEDULES * minutes <= len(late) <= SCHEDULES * (minutes + 1):
        raise RuntimeError(f"{len(late)} runs of {SCHEDULES} schedules in {minutes} minutes")
    return {"p50": percentile(late, 0.5), "max": max(late)}, {"runs": len(late)}
