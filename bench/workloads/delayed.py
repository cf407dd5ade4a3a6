"""From the moment an event is due to a batch, at 10 and at 500 per second.

"tick" is to the tick that puts it into a batch, as tick_time says; "read" is to the return of
wait_batch() at a consumer, which at 500 per second is seldom waiting: it reads one batch
after the other, each in a transaction that reaches the disk.
"""

import time

from consume import Consumer, milliseconds

SYSTEMS = ["pgtq_ticker"]

FIGURES = {
    f"{kind}_{rate}_{p}": ("ms", "lower", f"due to {what}, {rate}/s, {name}")
    for rate in (10, 500)
    for kind, what in (("tick", "tick"), ("read", "wait_batch"))
    for p, name in (("p50", "median"), ("p99", "99th percentile"))
}

SCHEDULE = """
    select count(pgtq.event_retry_raw('bench', 'reader', t, null, now(), 1, 'type',
                                      extract(epoch from t)::text, null, null, null, null))
      from generate_series(1, %(count)s) i,
           lateral (select to_timestamp(%(start)s + (i + random()) / %(rate)s)) as d (t)
"""

# the first tick that sees an event's transaction is the one that puts it into a batch
LATENESS = """
    select extract(epoch from (select min(tick_time) from pgtq.tick
                                where tick_time >= to_timestamp(ev_data::float8) - interval '1 s'
                                  and pg_visible_in_snapshot(ev_txid, tick_snapshot)))::float8
           - ev_data::float8
      from pgtq.event_template
"""


def one(rep, rate, seconds):
    rep.fresh_database()
    count = rate * seconds
    with rep.connect() as conn:
        rep.system.create_queue(conn)
        rep.checkpoint()
        consumer = Consumer(rep.system, rep.server.conninfo(rep.dbname), count)
        conn.execute(SCHEDULE, {"count": count, "start": time.time() + 2, "rate": float(rate)})
        read = consumer.latencies(timeout=seconds + 60)
        rep.expect("events read", len(read), count)
        if min(read) < 0:
            raise RuntimeError("an event came before it was due")
        ticked = [late for (late,) in conn.execute(LATENESS).fetchall()]
        (histogram,) = conn.execute("select lateness from pgtq.ticker_stats").fetchone()
    return read, ticked, histogram


def run(rep):
    figures, details = {}, {}
    for rate in (10, 500):
        read, ticked, histogram = one(rep, rate, 20 if rep.full else 5)
        figures.update(milliseconds(f"tick_{rate}", ticked))
        figures.update(milliseconds(f"read_{rate}", read))
        details[rate] = {"read": read, "ticked": ticked, "histogram": histogram}
    return figures, details
