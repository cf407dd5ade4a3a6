"""How late timers are while few others are pending, and while very many are."""

import time

from cluster import eventually
from workloads.pending import FEW, fill
from workloads.run_timers import lateness

SYSTEMS = ["pgtq_timers"]

SHOWN = [f"late{rate}_{name}" for rate in (10, 500) for name in ("p50", "p99")]
FIGURES = {f"{name}_{n}": ("ms", "lower", f"lateness at {name[4:].replace('_', '/s, ')}, {n} pending")
           for name in SHOWN for n in ("few", "many")}


def run(rep):
    many = 50_000_000 if rep.full else 5_000_000
    figures = {}
    with rep.connect(sync="off") as conn:
        conn.execute("create unlogged table late (due timestamptz, at timestamptz)")
        rep.system.begin(rep, conn)
        eventually(lambda: rep.system.ready(conn))
        for name, count in (("few", FEW), ("many", many)):
            fill(rep, conn, count)
            rep.checkpoint()
            time.sleep(2)
            late = lateness(rep, conn, 10, 100) | lateness(rep, conn, 500, 10_000)
            figures |= {f"{shown}_{name}": late[shown] for shown in SHOWN}
    return figures, {"pending": many}
