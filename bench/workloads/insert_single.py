"""One event per transaction, two clients, prepared statements, as fast as it goes.

Measured twice: with synchronous_commit on, where the disk has its say, and off,
where the cost of the call is most of what is left.
"""

CLIENTS = 2

# Many short repetitions rather than few long ones: with synchronous_commit on, whatever
# else writes to the disk can slow one down tenfold, and a median needs company to ignore it.
ROUNDS = 2

FIGURES = {
    "sync_on": ("events/s", "higher", "synchronous_commit = on"),
    "sync_off": ("events/s", "higher", "synchronous_commit = off"),
}


def run(rep):
    seconds = 8 if rep.full else 1
    with rep.connect() as conn:
        rep.system.create_queue(conn)
    # A literal, not an expression: pgbench would have it computed every time.
    data = "'" + "payload-".ljust(100, "x") + "'"
    script = rep.system.insert_sql(data) + ";\n"
    figures = {}
    for sync in ("on", "off"):
        rep.checkpoint()
        figures["sync_" + sync] = rep.pgbench(script, CLIENTS, seconds, sync).tps
    return figures, {"clients": CLIENTS, "seconds": seconds}
