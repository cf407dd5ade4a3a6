"""A backlog read by one consumer; with PgQ's API by next_batch, get_batch_events, finish_batch, each committed.

Once in batches of 500 events, where reading events is most of the work, and once in
batches of a single event, where opening and closing batches is. What has no batches of events takes as many
at a time as it takes.
"""

import time

import systems
from systems.pgq_api import PgqApi
from workloads import DATA_100

SYSTEMS = systems.QUEUES

FIGURES = {
    "events": ("events/s", "higher", "events read, in batches of 500 where there are batches"),
    "batches": ("batches/s", "higher", "batches of 1 event"),
}


def fill(rep, conn, batches, size):
    """One transaction of events, one tick, and again: every batch has the same size."""
    # Loading is not measured, so it need not wait for the disk.
    conn.execute("set synchronous_commit = off")
    for _ in range(batches):
        conn.execute(rep.system.bulk_sql(size, DATA_100))
        if rep.system.tick(conn) is None:
            raise RuntimeError("the ticker did not tick although there were new events")


def drain(rep, conn):
    """Returns batches, events and seconds."""
    batches = events = 0
    start = time.monotonic()
    while (batch := rep.system.next_batch(conn)) is not None:
        events += rep.system.get_batch_events(conn, batch)
        rep.system.finish_batch(conn, batch)
        batches += 1
    return batches, events, time.monotonic() - start


def run(rep):
    return run_batches(rep) if isinstance(rep.system, PgqApi) else run_rows(rep)


def run_rows(rep):
    count, limit = (100_000, 5) if rep.full else (25_000, 2)
    with rep.connect(sync="off") as conn:
        rep.system.create_queue(conn)
        conn.execute(rep.system.bulk_sql(count, DATA_100))
    rep.checkpoint()
    # one at a time it need not be all of them
    seconds, read = 0.0, 0
    with rep.connect(sync="on") as conn:
        start = time.monotonic()
        while seconds < limit and (some := rep.system.read(conn)):
            read += some
            seconds = time.monotonic() - start
    if seconds < limit:
        rep.expect("events read", read, count)
    return {"events": read / seconds}, {"events": read, "seconds": seconds}


def run_batches(rep):
    sizes = {
        "events": (200 if rep.full else 50, 500),
        "batches": (2000 if rep.full else 300, 1),
    }
    figures, details = {}, {}
    for figure, (batches, size) in sizes.items():
        rep.fresh_database()
        with rep.connect() as conn:
            rep.system.create_queue(conn)
            fill(rep, conn, batches, size)
        rep.checkpoint()
        # A consumer of its own, as after a restart: no plans from the filling.
        with rep.connect(sync="on") as conn:
            read_batches, read_events, took = drain(rep, conn)
        rep.expect("events read", read_events, batches * size)
        figures[figure] = (read_events if figure == "events" else read_batches) / took
        details[figure] = {"batches": read_batches, "events": read_events, "seconds": took}
    return figures, details
