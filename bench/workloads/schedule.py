"""Scheduling timers that lie in the future: one per transaction, two clients; and many in one statement.

The peers are a plain INSERT into a table with one index, which is about the least that storing
a timer can cost, and pg_timers' way, a table with a status.
"""

import time

from workloads import DATA_100

SYSTEMS = ["plain_table", "pgtq_c", "pg_timers", "status_table", "pgtq_pl"]
ROUNDS = 2
CLIENTS = 2

FIGURES = {
    "sync_on": ("timers/s", "higher", "one per transaction, synchronous_commit = on"),
    "sync_off": ("timers/s", "higher", "one per transaction, synchronous_commit = off"),
    "bulk": ("timers/s", "higher", "in one statement"),
    "wal": ("bytes", "lower", "WAL per timer, in one statement"),
}


def run(rep):
    seconds, count = (8, 100_000) if rep.full else (1, 50_000)
    with rep.connect() as conn:
        rep.system.prepare_timers(conn)
    script = rep.system.schedule_sql("interval '1 day'", "'" + "payload-".ljust(100, "x") + "'") + ";\n"
    figures = {}
    for sync in ("on", "off"):
        rep.checkpoint()
        figures["sync_" + sync] = rep.pgbench(script, CLIENTS, seconds, sync).tps
    rep.fresh_database()
    with rep.connect() as conn:
        rep.system.prepare_timers(conn)
        bulk = rep.system.schedule_many_sql(count, "interval '1 day' + i * interval '1 ms'", DATA_100)
        conn.execute(bulk)      # the first fills new files, and writes whole pages
        rep.checkpoint()
        conn.execute(bulk)
        (before,) = conn.execute("select pg_current_wal_insert_lsn()").fetchone()
        start = time.monotonic()
        conn.execute(bulk)
        figures["bulk"] = count / (time.monotonic() - start)
        (bytes_,) = conn.execute("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %s)", [before]).fetchone()
        figures["wal"] = float(bytes_) / count
    return figures, {"clients": CLIENTS, "seconds": seconds, "bulk": count}
