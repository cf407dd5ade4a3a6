"""Twenty databases with ten delayed events per second each, in one server.

Lateness to the tick, over all databases, and beside it that of one database alone.
"""

import time

from consume import milliseconds
from workloads.delayed import LATENESS, SCHEDULE

SYSTEMS = ["pgtq_ticker"]
DATABASES = 20
RATE = 10

FIGURES = {
    "one_p50": ("ms", "lower", "one database, median"),
    "one_p99": ("ms", "lower", "one database, 99th percentile"),
    "many_p50": ("ms", "lower", "twenty databases, median"),
    "many_p99": ("ms", "lower", "twenty databases, 99th percentile"),
}


def lateness(rep, names, seconds):
    """Schedules in all, waits until all are ticked, and asks each."""
    start = time.time() + 2 + len(names) * 0.2
    count = RATE * seconds
    for name in names:
        with rep.server.connect(name) as conn:
            conn.execute(SCHEDULE, {"count": count, "start": start, "rate": float(RATE)})
    time.sleep(max(start + seconds + 1 - time.time(), 0))
    found = []
    for name in names:
        with rep.server.connect(name) as conn:
            found += [late for (late,) in conn.execute(LATENESS).fetchall()]
    rep.expect("events ticked", len([late for late in found if late is not None]), count * len(names))
    return found


def run(rep):
    seconds = 30 if rep.full else 10
    with rep.connect() as conn:
        rep.system.create_queue(conn)
    names = [f"{rep.dbname}_{n}" for n in range(DATABASES)]
    one = lateness(rep, [rep.dbname], seconds)
    try:
        for name in names:
            with rep.server.connect() as conn:
                conn.execute(f"create database {name}")
            rep.system.install(rep.server, name)
            with rep.server.connect(name) as conn:
                rep.system.create_queue(conn)
        many = lateness(rep, names, seconds)
    finally:
        for name in names:
            rep.server.drop_db(name)
    return {**milliseconds("one", one), **milliseconds("many", many)}, {"one": one, "many": many}
