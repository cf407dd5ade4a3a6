"""Many recurring schedules in one database, beside as many timers: making them, a start of the server, and doing nothing.

A schedule is a row, and its next run a timer; no process keeps schedules in memory. So a start and an idle minute
should cost what they cost with timers. Then all that are due at one moment run, and are planned anew.
"""

import time

from cluster import eventually
from workloads.idle import STATE, cpu_seconds

SYSTEMS = ["pgtq_timers"]
KINDS = ("timers", "every", "cron")

# %s: from the first to the last number
MAKE = {
    "timers": "select count(pgtq.schedule_at(now() + '1 day', format('select %%s', i))) from generate_series({}, {}) i",
    "every": "select count(pgtq.schedule_every('s' || i, '1 day', 'select 1', start_at => now() + '1 day')) from generate_series({}, {}) i",
    "cron": "select count(pgtq.schedule_cron('s' || i, format('%%s %%s %%s * *', i %% 60, i / 60 %% 24, 1 + i %% 28), 'select 1')) from generate_series({}, {}) i",
}
RUN = ("select count(pgtq.schedule_every('r' || i, '1 day', 'select nextval(''ran'')', start_at => date_trunc('second', now()) + '{} s'))"
       " from generate_series(1, {}) i")

FIGURES = {
    **{f"make_{kind}": ("us", "lower", f"a call among many in a statement: {kind}") for kind in KINDS},
    **{f"start_{kind}": ("ms", "lower", f"from pg_ctl start until a timer has run: {kind}") for kind in KINDS},
    **{f"wakeups_{kind}": ("per minute", "lower", f"wake-ups of the ticker: {kind}") for kind in KINDS},
    **{f"cpu_{kind}": ("ms per minute", "lower", f"CPU time of ticker and launcher: {kind}") for kind in KINDS},
    "runs": ("runs/s", "higher", "schedules that are due at one moment, run and planned anew"),
}


def run(rep):
    number = 100_000 if rep.full else 10_000
    figures = {}
    for kind in KINDS:
        rep.fresh_database()
        with rep.connect(sync="off") as conn:
            conn.execute("create sequence ran")
            rep.system.begin(rep, conn)
            eventually(lambda: rep.system.ready(conn))
            start = time.monotonic()
            for first in range(1, number, 1000):
                conn.execute(MAKE[kind].format(first, first + 999).replace("%%", "%"))
            figures[f"make_{kind}"] = (time.monotonic() - start) / number * 1e6
        figures[f"start_{kind}"] = restarted(rep)
        with rep.connect() as conn:
            figures[f"wakeups_{kind}"], figures[f"cpu_{kind}"] = idle(conn)
            if kind == "every":
                figures["runs"] = due_at_once(rep, conn, number // 10)
    return figures, {"number": number}


def restarted(rep):
    rep.server.stop()
    start = time.monotonic()
    rep.server.start()
    with rep.connect() as conn:
        conn.execute("select pgtq.schedule_in('0', $$select nextval('ran')$$)")
        eventually(lambda: conn.execute("select is_called from ran").fetchone()[0], 60, 0.005)
    return (time.monotonic() - start) * 1000


def idle(conn):
    time.sleep(65)
    wakeups, _, *pids, _ = conn.execute(STATE).fetchone()
    cpu = sum(map(cpu_seconds, pids))
    time.sleep(60)
    return conn.execute(STATE).fetchone()[0] - wakeups, (sum(map(cpu_seconds, pids)) - cpu) * 1000


def due_at_once(rep, conn, number):
    """From their moment until the last of them has run."""
    before = conn.execute("select last_value from ran").fetchone()[0]
    ahead = 5 + number // 500
    conn.execute(RUN.format(ahead, number))
    due = conn.execute("select extract(epoch from min(next_run))::float8 from pgtq.schedules where name like 'r%'").fetchone()[0]
    eventually(lambda: conn.execute("select last_value from ran").fetchone()[0] >= before + number, 300, 0.01)
    seconds = time.time() - due
    planned = "select count(*) from pgtq.schedules where name like 'r%' and next_run > now() + '1 hour'"
    rep.expect("planned anew", conn.execute(planned).fetchone()[0], number)
    return number / seconds
