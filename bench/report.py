"""Medians, spread and ratios; JSON for machines, Markdown for people."""

from statistics import fmean, median

from systems import PAIRS

RATIOS = (
    "Ratios: ours over the peer's within a round; the median of the rounds (lowest–highest),"
    " bold where all rounds agree on which side of 1 it is."
)


def summarize(rounds):
    """Of a value per round. Spread is from the lowest to the highest, as a part of the median."""
    values = list(rounds.values())
    mid = median(values)
    return {
        "rounds": rounds,
        "median": mid,
        "min": min(values),
        "max": max(values),
        "spread": (max(values) - min(values)) / mid if mid else 0.0,
    }


def ratio(ours, peer):
    """Ours over the peer's within each round: the median, the lowest and the highest.

    The two of a round were measured one after the other, so what the machine was busy
    with meanwhile is mostly the same for both; a slow hour does not become a ratio.
    """
    rounds = [
        value / peer["rounds"][number]
        for number, value in ours["rounds"].items()
        if peer["rounds"].get(number)
    ]
    if not rounds:
        return None
    return {"ratio": median(rounds), "low": min(rounds), "high": max(rounds)}


def add_summaries(result):
    """Fills figures and ratios from the raw repetitions."""
    for workload in result["workloads"].values():
        for name, figure in workload["figures"].items():
            figure["systems"] = {
                system: summarize({rep["round"]: rep["figures"][name] for rep in reps})
                for system, reps in workload["repetitions"].items()
                if reps and name in reps[0]["figures"]
            }
            figure["ratios"] = {}
            for ours, peer in PAIRS:
                if ours in figure["systems"] and peer in figure["systems"]:
                    found = ratio(figure["systems"][ours], figure["systems"][peer])
                    if found:
                        figure["ratios"][f"{ours}/{peer}"] = found


def markdown(result):
    out = [heading(result), "", RATIOS]
    if result["left_out"]:
        out += ["", "Not there: " + "; ".join(f"{name} ({why})" for name, why in result["left_out"].items()) + "."]
    for name, workload in result["workloads"].items():
        if any(workload["repetitions"].values()):
            out += ["", f"### {name}", "", *workload_tables(name, workload)]
    return "\n".join(out) + "\n"


def workload_tables(name, workload):
    """Ratios, medians, and how the runs went."""
    figures = [figure for figure in workload["figures"].values() if figure["systems"]]
    label = [f"{figure['what']}, {figure['unit']}" for figure in figures]
    pairs = [pair for pair in (f"{a}/{b}" for a, b in PAIRS) if any(pair in figure["ratios"] for figure in figures)]
    out = []
    if pairs:
        out += table(
            ["ratio", "better", *pairs],
            [
                [what, figure["better"], *(ratio_cell(figure["ratios"].get(pair)) for pair in pairs)]
                for what, figure in zip(label, figures)
            ],
        )
        out.append("")
    systems = [system for system, reps in workload["repetitions"].items() if reps]
    out += table(
        ["median", *systems],
        [
            [what, *(value_cell(figure["systems"].get(system)) for system in systems)]
            for what, figure in zip(label, figures)
        ],
    )
    for key, what in workload["series"].items():
        out += ["", *series_table(what, key, workload["repetitions"])]
    return out


def series_table(title, key, repetitions):
    """How a run went, interval by interval: the median of the repetitions."""
    lists = {
        system: [rep["details"][key] for rep in reps] for system, reps in repetitions.items() if reps
    }
    seconds = next(rep["details"]["interval_seconds"] for reps in repetitions.values() for rep in reps)
    rows = []
    for i in range(max(len(one) for many in lists.values() for one in many)):
        values = [[one[i] for one in many if i < len(one)] for many in lists.values()]
        rows.append([f"{(i + 1) * seconds} s", *(f"{median(v):,.0f}" if v else "–" for v in values)])
    return table([title, *lists], rows)


def heading(result):
    machine = result["machine"]
    any_system = next(iter(result["systems"].values()))
    settings = any_system["settings"]
    named = ", ".join(f"{k} {settings[k]}" for k in ("shared_buffers", "max_wal_size", "fsync"))
    return (
        f"{result['date'][:10]}, PostgreSQL {any_system['postgres']}, {machine['cpus']} CPUs,"
        f" {machine['memory_gb']} GB memory, data on {machine['filesystem']}; {named};"
        f" {result['repetitions']} repetitions, {result['form']} form."
        f" Others used {others(result):.0%} of the CPUs meanwhile."
    )


def others(result):
    """The mean over all repetitions; above some percent the ratios are to be doubted."""
    shares = [
        rep["others_cpu"]
        for workload in result["workloads"].values()
        for reps in workload["repetitions"].values()
        for rep in reps
    ]
    return fmean(shares) if shares else 0.0


def table(head, rows):
    right = ["---"] + ["--:"] * (len(head) - 1)
    return ["| " + " | ".join(row) + " |" for row in [head, right, *rows]]


def ratio_cell(found):
    """Bold where all rounds agree which of the two has more."""
    if not found:
        return "–"
    text = f"{found['ratio']:.2f}"
    if found["low"] > 1 or found["high"] < 1:
        text = f"**{text}**"
    return f"{text} ({found['low']:.2f}–{found['high']:.2f})"


def value_cell(found):
    if not found:
        return "–"
    digits = 0 if abs(found["median"]) >= 100 else 2
    text = f"{found['median']:,.{digits}f}"
    return f"{text} (±{found['spread'] * 50:.0f} %)" if len(found["rounds"]) > 1 else text
