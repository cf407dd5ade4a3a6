"""One file per system under measurement; each has a SYSTEM object (see pgq_api.py for what it offers)."""

from importlib import import_module

# The order is the order of a round. A peer stands next to what is compared with it,
# so that the two are measured seconds apart.
ALL = ["pgtq_c", "pgq_c", "pgtq_pl", "pgq_pl", "pgtq_timers", "polling"]

# Queues; a workload that is for others names them.
QUEUES = ALL[:4]

# (ours, peer): the ratios that the report shows.
PAIRS = [("pgtq_c", "pgq_c"), ("pgtq_pl", "pgq_pl"), ("pgtq_timers", "polling")]


def load(name):
    return import_module("systems." + name).SYSTEM
