"""One file per workload.

Each has FIGURES, a dict of name -> (unit, "higher" or "lower" is better, what it is),
and run(rep), which measures one repetition on one system in a fresh database and
returns (figures, details): a number per figure, and whatever else is worth keeping.
ROUNDS, where there is one, multiplies the number of rounds of the full form.
SYSTEMS, where there is one, names the systems it is for; else it is for those without workers.
SERIES, where there is one, names lists in the details that show how the run went.
"""

from importlib import import_module

ALL = [
    "insert_single", "insert_bulk", "trigger", "drain", "held_snapshot", "held_xid",
    "schedule", "move", "cancel_held", "pending", "pending_late",
    "latency", "delayed", "many_databases", "idle", "schedules", "run_timers", "timers_held", "sessions", "cron",
]  # fmt: skip

# What `make bench` runs without FULL=1: less than ten minutes in all.
SHORT = ["insert_single", "drain", "schedule", "latency", "run_timers", "timers_held"]

# About 100 bytes; text that TOAST has no reason to look at and WAL cannot compress.
DATA_100 = "rpad('payload', 100, 'abcdefghijklmnopqrstuvwxyz0123456789')"


def load(name):
    return import_module("workloads." + name)
