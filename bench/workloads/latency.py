"""From insert_event() to the consumer, at 100 events per second.

The clock starts before the insert is sent, and stops when the call that waits for a batch has
returned at the consumer, another process: two commits that reach the disk lie in between.
"""

import time

from consume import Consumer, milliseconds

SYSTEMS = ["pgtq_ticker", "pgq_pgqd"]

FIGURES = {
    "event_p50": ("ms", "lower", "insert to wait_batch, median"),
    "event_p99": ("ms", "lower", "insert to wait_batch, 99th percentile"),
}

RATE = 100


def run(rep):
    count = RATE * (30 if rep.full else 4)
    with rep.connect() as conn:
        rep.system.create_queue(conn)
    rep.checkpoint()
    with rep.system.running(rep), rep.connect() as conn:
        consumer = Consumer(rep.system, rep.server.conninfo(rep.dbname), count)
        insert = f"select {rep.system.schema}.insert_event('bench', 'type', %s)"
        following = time.time()
        for _ in range(count):
            following += 1 / RATE
            time.sleep(max(following - time.time(), 0))
            conn.execute(insert, [repr(time.time())], prepare=True)
        found = consumer.latencies(timeout=60)
    rep.expect("events read", len(found), count)
    return milliseconds("event", found), {"latencies": found}
