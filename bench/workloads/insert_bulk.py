"""100,000 events in one statement: the cost of a call without that of a transaction."""

import time

from workloads import DATA_100

EVENTS = 100_000

# A repetition takes a second or two, so a burst of other work can spoil one as a whole.
ROUNDS = 2

FIGURES = {
    "events": ("events/s", "higher", "100,000 events in one statement"),
    "wal": ("WAL bytes/event", "lower", "WAL written, per event"),
}


def run(rep):
    with rep.connect() as conn:
        rep.system.create_queue(conn)
        # The first call in a session fills caches and plans; not what is measured here.
        conn.execute(rep.system.bulk_sql(100, DATA_100))
        rep.checkpoint()
        lsn = conn.execute("select pg_current_wal_insert_lsn()").fetchone()[0]
        start = time.monotonic()
        inserted = conn.execute(rep.system.bulk_sql(EVENTS, DATA_100)).fetchone()[0]
        took = time.monotonic() - start
        wal = conn.execute(
            "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %s::pg_lsn)", [lsn]
        ).fetchone()[0]
    rep.expect("events inserted", inserted, EVENTS)
    return {"events": EVENTS / took, "wal": float(wal) / EVENTS}, {"events": EVENTS}
