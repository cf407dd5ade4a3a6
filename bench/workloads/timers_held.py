"""Timers that fire at full rate while somebody holds a snapshot open: what a table of timers does not survive.

A client keeps some thousand timers due; each action counts itself in a sequence. A system is flat if the last
part of the run is as fast as the first.
"""

import time

import systems
from cluster import eventually
from workloads.held_snapshot import hold_snapshot, intervals, kept, tables

SYSTEMS = systems.TIMERS

FIGURES = {
    "fired": ("timers/s", "higher", "scheduled and fired, whole run"),
    "fired_kept": ("last/first", "higher", "the same, end of the run over its start"),
    "dead": ("rows", "lower", "dead rows in the schema's tables"),
    "schema": ("MB", "lower", "size of the schema's tables with indexes"),
}
SERIES = {"fired_per_s": "timers/s"}

SLICE = 1000
OUTSTANDING = 4000
ACTION = "select nextval(''fired'')"


def run(rep):
    seconds = 180 if rep.full else 6
    part = 20 if rep.full else seconds // 3
    with rep.connect(sync="off") as conn, rep.connect() as holder:
        conn.execute("create sequence fired")
        rep.system.begin(rep, conn)
        try:
            eventually(lambda: rep.system.ready(conn))
            rep.checkpoint()
            hold_snapshot(holder)
            per_second, scheduled = keep_busy(rep, conn, seconds)
            eventually(lambda: fired(conn) == scheduled, 600, 0.2)
        finally:
            rep.system.end()
            holder.execute("rollback")
        conn.execute("select pg_stat_force_next_flush()")
        after = tables(rep, conn).values()
    step = 10 if rep.full else 1
    figures = {
        "fired": sum(per_second) / seconds,
        "fired_kept": kept(per_second, part),
        "dead": sum(t["dead"] for t in after),
        "schema": sum(t["bytes"] for t in after) / 1e6,
    }
    return figures, {"seconds": seconds, "interval_seconds": step, "fired_per_s": intervals(per_second, step)}


def keep_busy(rep, conn, seconds):
    """Schedules as fast as timers fire; how many fired in each second, and how many were scheduled."""
    per_second, scheduled = [0] * seconds, 0
    start, seen = time.monotonic(), 0
    while (passed := time.monotonic() - start) < seconds:
        now = fired(conn)
        per_second[int(passed)] += now - seen
        seen = now
        if scheduled - now < OUTSTANDING:
            rep.system.schedule(conn, SLICE, "clock_timestamp()", f"'{ACTION}'::text")
            scheduled += SLICE
        else:
            time.sleep(0.002)
    return per_second, scheduled


def fired(conn):
    last, called = conn.execute("select last_value, is_called from fired").fetchone()
    return last if called else 0
