#!/usr/bin/python3
"""Draws the series of a result file: bench/charts.py RESULT.json [DIR]

One SVG per workload and series: each system's median over time. Small, the same bytes for the same result,
readable without colour.
"""

import json
import os
import sys
from statistics import median

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "pgtq", "font.size": 10, "font.family": "sans-serif"})

import matplotlib.pyplot as plt  # noqa: E402

# Ours are drawn bold.
NAMES = {
    "pgtq_c": "pgtq", "pgtq_pl": "pgtq, SQL only", "pgtq_timers": "pgtq", "pgtq_loop": "pgtq, SQL only",
    "pgtq_ticker": "pgtq", "pgq_c": "PgQ", "pgq_pl": "PgQ, SQL only", "pgque": "PgQue", "pgq_pgqd": "PgQ with pgqd",
    "skip_1": "SKIP LOCKED, 1 row", "skip_100": "SKIP LOCKED, 100 rows", "skip_1000": "SKIP LOCKED, 1000 rows",
    "polling": "SKIP LOCKED worker",
}  # fmt: skip
TITLES = {
    "held_snapshot": "A consumer reads while an old snapshot is held",
    "held_xid": "A consumer reads beside an idle transaction",
    "timers_held": "Timers fire while an old snapshot is held",
    "cancel_held": "Timers are scheduled, 95 % cancelled, while an old snapshot is held",
}
COLOURS = ["#0b6e4f", "#4aa37f", "#c0392b", "#d68910", "#7d3c98", "#566573", "#2471a3", "#a04000", "#999999"]
STYLES = ["-", "--", "-.", ":"]


def main():
    path = sys.argv[1]
    directory = sys.argv[2] if len(sys.argv) > 2 else os.path.dirname(path)
    with open(path, encoding="utf-8") as f:
        result = json.load(f)
    for name in draw(result, directory):
        print(name)


def draw(result, directory, prefix=""):
    """Returns the names of the files it has written."""
    written = []
    for name, workload in result["workloads"].items():
        for key, what in workload["series"].items():
            if any(key in rep["details"] for reps in workload["repetitions"].values() for rep in reps):
                path = os.path.join(directory, f"{prefix}{name}_{key}.svg")
                chart(workload["repetitions"], key, what, TITLES.get(name, name), path)
                written.append(path)
    return written


def chart(repetitions, key, what, title, path):
    figure, axes = plt.subplots(figsize=(7, 3.6))
    systems = [system for system, reps in repetitions.items() if reps and key in reps[0]["details"]]
    for number, system in enumerate(sorted(systems, key=lambda s: not s.startswith("pgtq"))):
        lists = [rep["details"][key] for rep in repetitions[system]]
        seconds = repetitions[system][0]["details"]["interval_seconds"]
        length = min(map(len, lists))
        values = [median(one[i] for one in lists) for i in range(length)]
        axes.plot(
            [(i + 1) * seconds for i in range(length)], values, label=NAMES.get(system, system),
            color=COLOURS[number % len(COLOURS)], linestyle=STYLES[number % len(STYLES)],
            linewidth=2.4 if system.startswith("pgtq") else 1.2,
        )  # fmt: skip
    axes.set_title(title, fontsize=11)
    axes.set_xlabel("seconds")
    axes.set_ylabel(what)
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
