"""What a database with five idle queues costs: wake-ups, CPU time and WAL of a minute or more.

A minute before that lets the queues fall into step.
"""

import os
import time

SYSTEMS = ["pgtq_ticker"]

FIGURES = {
    "wakeups": ("per minute", "lower", "wake-ups of the ticker"),
    "cpu": ("ms per minute", "lower", "CPU time of ticker and launcher"),
    "ticks": ("per minute and queue", "lower", "ticks"),
    "wal": ("bytes per minute and queue", "lower", "WAL of the server"),
}

QUEUES = 5


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(rep):
    minutes = 3 if rep.full else 1
    with rep.connect() as conn:
        for n in range(QUEUES):
            conn.execute("select pgtq.create_queue(%s), pgtq.register_consumer(%s, 'c')", [f"q{n}", f"q{n}"])
        time.sleep(65)
        state = "select wakeups, ticks, ticker_pid, launcher_pid, pg_current_wal_lsn() - '0/0' from pgtq._ticker_state()"
        rep.checkpoint()
        wakeups, ticks, *pids, wal = conn.execute(state).fetchone()
        cpu = sum(map(cpu_seconds, pids))
        time.sleep(60 * minutes)
        wakeups2, ticks2, *_, wal2 = conn.execute(state).fetchone()
        cpu2 = sum(map(cpu_seconds, pids))
    return {
        "wakeups": (wakeups2 - wakeups) / minutes,
        "cpu": (cpu2 - cpu) * 1000 / minutes,
        "ticks": (ticks2 - ticks) / minutes / QUEUES,
        "wal": float(wal2 - wal) / minutes / QUEUES,
    }, {}
