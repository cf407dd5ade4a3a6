"""What a database with five idle queues costs: wake-ups, CPU time and WAL of a minute or more.

Then the same with many cancelled timers in front of one that is due tomorrow. A minute before
each lets the queues fall into step. Nothing here depends on what else the machine does: the
kernel counts how often a process gave up the CPU of its own accord.
"""

import os
import time

SYSTEMS = ["pgtq_ticker"]

FIGURES = {
    f"{prefix}{name}": (unit, "lower", what + after)
    for prefix, after in (("", ""), ("cancelled_", ", cancelled timers in front"))
    for name, unit, what in (
        ("wakeups", "per minute", "wake-ups of the ticker"),
        ("switches", "per minute", "voluntary context switches of ticker and launcher"),
        ("cpu", "ms per minute", "CPU time of ticker and launcher"),
        ("ticks", "per minute and queue", "ticks"),
        ("wal", "bytes per minute and queue", "WAL of the server"),
    )
}

QUEUES = 5

CANCELLED = """
    select count(pgtq.cancel(t)) from (
        select pgtq.insert_event_at('q0', now() + '12 h' + i * interval '1 ms', 'type', 'cancelled') as t
          from generate_series(1, %s) i) s
"""

STATE = "select wakeups, ticks, ticker_pid, launcher_pid, pg_current_wal_lsn() - '0/0' from pgtq._ticker_state()"


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def switches(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        (line,) = [line for line in f if line.startswith("voluntary_ctxt_switches")]
    return int(line.split()[1])


def measure(rep, conn, prefix, minutes):
    time.sleep(65)
    rep.checkpoint()
    wakeups, ticks, *pids, wal = conn.execute(STATE).fetchone()
    before = sum(map(cpu_seconds, pids)), sum(map(switches, pids))
    time.sleep(60 * minutes)
    wakeups2, ticks2, *_, wal2 = conn.execute(STATE).fetchone()
    return {
        f"{prefix}wakeups": (wakeups2 - wakeups) / minutes,
        f"{prefix}switches": (sum(map(switches, pids)) - before[1]) / minutes,
        f"{prefix}cpu": (sum(map(cpu_seconds, pids)) - before[0]) * 1000 / minutes,
        f"{prefix}ticks": (ticks2 - ticks) / minutes / QUEUES,
        f"{prefix}wal": float(wal2 - wal) / minutes / QUEUES,
    }


def run(rep):
    minutes = 3 if rep.full else 1
    with rep.connect() as conn:
        for n in range(QUEUES):
            conn.execute("select pgtq.create_queue(%s), pgtq.register_consumer(%s, 'c')", [f"q{n}", f"q{n}"])
        figures = measure(rep, conn, "", minutes)
        for _ in range(100 if rep.full else 10):
            conn.execute(CANCELLED, [10000])
        conn.execute("select pgtq.insert_event_in('q0', '1 day', 'type', 'alive')")
        return {**figures, **measure(rep, conn, "cancelled_", minutes)}, {}
