#!/usr/bin/python3
"""Measures pgtq and its peers side by side; see README.md for what the figures mean.

Every workload goes round the systems (A, B, C, D, A, B, …), each repetition in a fresh
database, so that whatever else the machine does meanwhile falls on all of them. Only
ratios within one run are worth comparing.
"""

import argparse
import datetime
import json
import os
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import charts  # noqa: E402
import cluster  # noqa: E402
import machine  # noqa: E402
import report  # noqa: E402
import systems  # noqa: E402
import workloads  # noqa: E402


def main():
    args = arguments()
    cluster.exit_on_signals()
    with cluster.Workspace() as workspace:
        result = measure(workspace, args)
    report.add_summaries(result)
    write(result, args.out)
    print(report.markdown(result))
    failures = sum(len(workload["errors"]) for workload in result["workloads"].values())
    if failures:
        sys.exit(f"{failures} repetitions failed")


def measure(workspace, args):
    """All workloads on all systems that are there; returns the raw result."""
    chosen, left_out = choose_systems(args.systems, workspace)
    if not chosen:
        sys.exit("nothing to measure: " + "; ".join(f"{k}: {v}" for k, v in left_out.items()))
    result = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "form": "full" if args.full else "short",
        "repetitions": args.reps,
        "left_out": left_out,
        "systems": {},
        "workloads": {},
    }
    needed = {n for w in args.workloads for n in getattr(workloads.load(w), "SYSTEMS", systems.WITHOUT_WORKERS)}
    chosen = [system for system in chosen if system.name in needed]
    if not chosen:
        sys.exit("none of these systems takes part in these workloads")
    servers = {}
    for system in list(chosen):
        servers[system.name] = server = cluster.start(workspace, system)
        try:
            result["systems"][system.name] = cluster.server_facts(system, server)
        except cluster.CommandFailed as error:      # a peer that is installed badly
            left_out[system.name] = str(error).splitlines()[-1]
            chosen.remove(system)
            say(f"{system.name} is left out: {error}")
    result["machine"] = machine.facts(server.data)
    for name in args.workloads:
        result["workloads"][name] = run_workload(name, chosen, servers, args)
    return result


def arguments():
    parser = argparse.ArgumentParser(description="measure pgtq and its peers side by side")
    parser.add_argument("names", nargs="*", metavar="WORKLOAD", help="the same as --workloads")
    parser.add_argument("--workloads", type=comma_list, help="of " + ",".join(workloads.ALL))
    parser.add_argument("--systems", type=comma_list, default=systems.ALL, help="of " + ",".join(systems.ALL))
    parser.add_argument("--reps", type=int, help="repetitions (3)")
    parser.add_argument("--full", action="store_true", help="the long form: all workloads, longer runs")
    parser.add_argument("--out", default=os.path.join(HERE, "results"), help="where the result files go")
    args = parser.parse_args()
    args.workloads = [name for word in args.names for name in comma_list(word)] or args.workloads or (workloads.ALL if args.full else workloads.SHORT)
    args.reps = args.reps or 3
    for given, known in ((args.workloads, workloads.ALL), (args.systems, systems.ALL)):
        for name in given:
            if name not in known:
                parser.error(f"unknown: {name}; known are {', '.join(known)}")
    return args


def comma_list(text):
    return [part for part in text.split(",") if part]


def choose_systems(names, workspace):
    """The systems that are installed, and the reason for each that is not."""
    chosen, left_out = [], {}
    for name in names:
        system = systems.load(name)
        reason = system.missing(workspace)
        if reason:
            left_out[name] = reason
            say(f"{name} is left out: {reason}")
        else:
            chosen.append(system)
    return chosen, left_out


def run_workload(name, chosen, servers, args):
    workload = workloads.load(name)
    chosen = [s for s in chosen if s.name in getattr(workload, "SYSTEMS", systems.WITHOUT_WORKERS)]
    out = {
        "figures": {
            key: {"unit": unit, "better": better, "what": what}
            for key, (unit, better, what) in workload.FIGURES.items()
        },
        "series": getattr(workload, "SERIES", {}),
        "repetitions": {system.name: [] for system in chosen},
        "errors": [],
    }
    rounds = args.reps * (getattr(workload, "ROUNDS", 1) if args.full else 1)
    for number in range(1, rounds + 1):
        for system in chosen:
            start, others = time.monotonic(), machine.OthersShare()
            try:
                figures, details = one_repetition(workload, system, servers[system.name], args.full)
            except Exception as error:  # one system's failure must not cost the others their figures
                traceback.print_exc()
                out["errors"].append({"system": system.name, "round": number, "error": str(error)})
                continue
            out["repetitions"][system.name].append(
                {"round": number, "others_cpu": round(others(), 3), "figures": figures, "details": details}
            )
            shown = ", ".join(f"{k} {v:,.2f}" for k, v in figures.items())
            say(f"{name} {number}/{rounds} {system.name}: {shown} ({time.monotonic() - start:.0f} s)")
    return out


def one_repetition(workload, system, server, full):
    rep = cluster.Repetition(system, server, full)
    try:
        rep.fresh_database()
        return workload.run(rep)
    finally:
        rep.drop_database()


def write(result, directory):
    os.makedirs(directory, exist_ok=True)
    base = os.path.join(directory, result["date"][:19].replace(":", "").replace("-", ""))
    with open(base + ".json", "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1, ensure_ascii=False)
    with open(base + ".md", "w", encoding="utf-8") as f:
        f.write(report.markdown(result))
    say(f"written: {os.path.relpath(base)}.json and .md")
    for chart in charts.draw(result, directory, os.path.basename(base) + "_"):
        say(f"written: {os.path.relpath(chart)}")


def say(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
