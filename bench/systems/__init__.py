"""One file per system under measurement; each has a SYSTEM object (see pgq_api.py for what it offers)."""

from importlib import import_module

# The order is the order of a round. A peer stands next to what is compared with it,
# so that the two are measured seconds apart.
ALL = ["pgtq_c", "pgq_c", "pgtq_pl", "pgq_pl", "plain_table", "status_table", "pgtq_ticker", "pgq_pgqd", "pgtq_timers", "polling"]

# Those that a workload is for which does not name its own: there, nothing ticks by itself.
WITHOUT_WORKERS = ALL[:4]

# (ours, peer): the ratios that the report shows.
PAIRS = [
    ("pgtq_c", "pgq_c"), ("pgtq_pl", "pgq_pl"), ("pgtq_ticker", "pgq_pgqd"), ("pgtq_timers", "polling"),
    ("pgtq_c", "plain_table"), ("pgtq_pl", "plain_table"),
    ("pgtq_c", "status_table"), ("pgtq_pl", "status_table"),
]  # fmt: skip


def load(name):
    return import_module("systems." + name).SYSTEM
