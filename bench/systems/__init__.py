"""One file per system under measurement; each has a SYSTEM object (see pgq_api.py for what it offers)."""

from importlib import import_module

# The order is the order of a round. A peer stands next to what is compared with it,
# so that the two are measured seconds apart.
ALL = [
    "pgtq_c", "pgq_c", "skip_1", "skip_100", "skip_1000", "pgmq", "pgtq_pl", "pgq_pl", "pgque",
    "plain_table", "status_table", "pgtq_ticker", "pgq_pgqd", "pgtq_timers", "pg_timers", "polling", "pgtq_loop", "pg_cron",
]  # fmt: skip

# Those that a workload is for which does not name its own: there, nothing ticks by itself.
WITHOUT_WORKERS = ["pgtq_c", "pgq_c", "pgtq_pl", "pgq_pl"]

# All that events can be read from, a transaction per batch.
QUEUES = [*WITHOUT_WORKERS, "pgque", "pgmq", "skip_1", "skip_100", "skip_1000"]

# All that run actions when they are due.
TIMERS = ["pgtq_timers", "pg_timers", "polling", "pgtq_loop"]

# (ours, peer): the ratios that the report shows.
PAIRS = [
    ("pgtq_c", "pgq_c"), ("pgtq_c", "pgmq"), ("pgtq_c", "skip_1"), ("pgtq_c", "skip_100"), ("pgtq_c", "skip_1000"),
    ("pgtq_pl", "pgq_pl"), ("pgtq_pl", "pgque"), ("pgtq_ticker", "pgq_pgqd"),
    ("pgtq_timers", "pg_timers"), ("pgtq_timers", "polling"), ("pgtq_timers", "pg_cron"), ("pgtq_loop", "polling"),
    ("pgtq_c", "plain_table"), ("pgtq_c", "status_table"), ("pgtq_c", "pg_timers"),
    ("pgtq_pl", "plain_table"), ("pgtq_pl", "status_table"),
]  # fmt: skip

# Files that have more than one system.
FILES = {name: "skip_locked" for name in ("skip_1", "skip_100", "skip_1000")}


def load(name):
    module = import_module("systems." + FILES.get(name, name))
    return module.SYSTEMS[name] if name in FILES else module.SYSTEM
