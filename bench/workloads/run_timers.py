"""Timers: how late they are at a steady rate, and how fast a backlog goes.

Lateness is the clock in the action, an INSERT, minus the due time. The backlog is due at one moment, scheduled
before; the time counts from that moment to the last action. WAL is all of the server's from the call that schedules
until all are done, the actions' own included.
"""

import time

import systems
from cluster import eventually

SYSTEMS = systems.TIMERS

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
RATES = (10, 500)

FIGURES = {
    f"late{rate}_{name}": ("ms", "lower", f"lateness at {rate}/s, {name}") for rate in RATES for name in QUANTILES
} | {
    "drain_same": ("actions/s", "higher", "backlog of INSERTs, all texts the same"),
    "drain_distinct": ("actions/s", "higher", "backlog of INSERTs, all texts different"),
    "wal": ("bytes", "lower", "WAL per timer of the latter, from scheduling to done"),
    "drain_select": ("actions/s", "higher", "backlog of SELECTs of a sequence's next value"),
}


def count(conn, table):
    return conn.execute(f"select count(*) from {table}").fetchone()[0]


def lateness(rep, conn, rate, number):
    conn.execute("truncate late")
    start = "'" + conn.execute("select (now() + interval '1 s')::text").fetchone()[0] + "'::timestamptz"
    due = f"{start} + i * interval '{1 / rate} s'"
    rep.system.schedule(conn, number, due, f"format('insert into late values (%L, clock_timestamp())', {due})")
    eventually(lambda: count(conn, "late") == number, number / rate + 30, 0.2)
    early, *found = conn.execute(
        "select min(late), percentile_cont(%s::float8[]) within group (order by late)"
        " from (select extract(epoch from at - due)::float8 * 1000 from late) l (late)",
        [list(QUANTILES.values())]).fetchone()
    if early < 0:
        raise RuntimeError(f"a timer fired {-early} ms before it was due")
    return {f"late{rate}_{name}": value for name, value in zip(QUANTILES, found[0])}


def backlog(rep, conn, action, number):
    """Schedules number timers for one moment, and returns it; when they are due all are there."""
    rep.checkpoint()
    ahead = number / (5000 if rep.system.name == "pg_timers" else 20000) + 1
    (due,) = conn.execute("select now() + %s * interval '1 s'", [ahead]).fetchone()
    rep.system.schedule(conn, number, f"'{due.isoformat()}'::timestamptz", action)
    rep.expect("scheduled too late", conn.execute("select clock_timestamp() > %s", [due]).fetchone()[0], False)
    return due


def drain(rep, conn, action, number):
    """Actions per second, and bytes of WAL for each from scheduling on."""
    conn.execute("truncate sink")
    (before,) = conn.execute("select pg_current_wal_insert_lsn()").fetchone()
    due = backlog(rep, conn, action, number)
    eventually(lambda: count(conn, "sink") == number, 300, 0.05)
    took, wal = conn.execute("select extract(epoch from max(at) - %s)::float8,"
                             " pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %s)::float8 from sink", [due, before]).fetchone()
    return number / took, wal / number


def drain_select(rep, conn, number):
    conn.execute("alter sequence fired restart")
    due = backlog(rep, conn, "'select nextval(''fired'')'::text", number)
    eventually(lambda: conn.execute("select last_value from fired").fetchone()[0] >= number, 300, 0.01)
    return number / conn.execute("select extract(epoch from clock_timestamp() - %s)::float8", [due]).fetchone()[0]


def run(rep):
    number = 100_000 if rep.full else 10_000
    figures = {}
    with rep.connect() as conn:
        conn.execute("create unlogged table late (due timestamptz, at timestamptz)")
        conn.execute("create table sink (a int, at timestamptz default clock_timestamp())")
        conn.execute("create sequence fired")
        rep.system.begin(rep, conn)
        try:
            eventually(lambda: rep.system.ready(conn))
            time.sleep(1)
            for rate, seconds in zip(RATES, (10, 20) if rep.full else (5, 3)):
                figures |= lateness(rep, conn, rate, rate * seconds)
            figures["drain_same"], _ = drain(rep, conn, "'insert into sink values (1)'::text", number)
            figures["drain_distinct"], figures["wal"] = drain(rep, conn, "format('insert into sink values (%s)', i)", number)
            figures["drain_select"] = drain_select(rep, conn, number)
        finally:
            rep.system.end()
    return figures, {}
