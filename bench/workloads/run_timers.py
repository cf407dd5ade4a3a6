"""Timers with an INSERT as action: how late they are at a steady rate, and how fast a backlog goes.

Lateness is the clock in the action minus the due time. The backlog is due at one moment, scheduled
before; the time counts from that moment to the last action.
"""

import time

from cluster import eventually

SYSTEMS = ["pgtq_timers", "polling"]

FIGURES = {
    "late10_p50": ("ms", "lower", "lateness at 10/s, median"),
    "late10_p99": ("ms", "lower", "lateness at 10/s, 99 %"),
    "late500_p50": ("ms", "lower", "lateness at 500/s, median"),
    "late500_p99": ("ms", "lower", "lateness at 500/s, 99 %"),
    "drain_same": ("actions/s", "higher", "backlog, all texts the same"),
    "drain_distinct": ("actions/s", "higher", "backlog, all texts different"),
}


def count(conn, table):
    return conn.execute(f"select count(*) from {table}").fetchone()[0]


def lateness(rep, conn, rate, number):
    conn.execute("truncate late")
    start = "'" + conn.execute("select (now() + interval '1 s')::text").fetchone()[0] + "'::timestamptz"
    due = f"{start} + i * interval '{1 / rate} s'"
    rep.system.schedule(conn, number, due, f"format('insert into late values (%L, clock_timestamp())', {due})")
    eventually(lambda: count(conn, "late") == number, number / rate + 30, 0.2)
    return conn.execute(
        "select percentile_cont(array[0.5, 0.99]) within group (order by extract(epoch from at - due) * 1000)"
        " from late").fetchone()[0]


def drain(rep, conn, action, number):
    conn.execute("truncate sink")
    rep.checkpoint()
    ahead = number / 20000 + 2
    due = conn.execute("select now() + %s * interval '1 s'", [ahead]).fetchone()[0]
    rep.system.schedule(conn, number, f"'{due.isoformat()}'::timestamptz", action)
    behind = conn.execute("select clock_timestamp() - %s > '0'", [due]).fetchone()[0]
    rep.expect("scheduled too late", behind, False)
    eventually(lambda: count(conn, "sink") == number, 300, 0.05)
    return number / (conn.execute("select extract(epoch from max(at) - %s) from sink", [due]).fetchone()[0].__float__())


def run(rep):
    number = 100_000 if rep.full else 20_000
    figures = {}
    with rep.connect() as conn:
        conn.execute("create unlogged table late (due timestamptz, at timestamptz)")
        conn.execute("create table sink (a int, at timestamptz default clock_timestamp())")
        rep.system.begin(rep, conn)
        try:
            eventually(lambda: rep.system.ready(conn))
            time.sleep(1)
            for rate, n in ((10, 100 if rep.full else 50), (500, 10000 if rep.full else 3000)):
                p50, p99 = lateness(rep, conn, rate, n)
                figures[f"late{rate}_p50"], figures[f"late{rate}_p99"] = float(p50), float(p99)
            figures["drain_same"] = drain(rep, conn, "'insert into sink values (1)'::text", number)
            figures["drain_distinct"] = drain(rep, conn, "format('insert into sink values (%s)', i)", number)
        finally:
            rep.system.end()
    return figures, {}
