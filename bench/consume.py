"""A consumer in a process of its own, that notes when it gets each event.

What is in an event's data is the time (in seconds since 1970) from which its latency counts.
"""

import multiprocessing
import time

import psycopg


class Consumer:
    """Reads until it has so many events; latencies() waits for that."""

    def __init__(self, system, conninfo, count):
        # not a fork of this process, whose connections it would close at its end
        context = multiprocessing.get_context("spawn")
        self.results = context.Queue()
        arguments = (conninfo, system.schema, system.wait_sql(), count, self.results)
        self.process = context.Process(target=_consume, args=arguments, daemon=True)
        self.process.start()
        self.results.get(timeout=60)        # it is connected

    def latencies(self, timeout):
        found = self.results.get(timeout=timeout)
        self.process.join()
        return found


def _consume(conninfo, schema, wait_sql, count, results):
    found = []
    # one transaction per batch: what a consumer does that wants each event once
    with psycopg.connect(conninfo) as conn:
        conn.prepare_threshold = 0
        results.put("ready")
        while len(found) < count:
            (batch,) = conn.execute(wait_sql).fetchone()
            now = time.time()
            if batch is None:
                conn.commit()
                time.sleep(0.01)
                continue
            rows = conn.execute(f"select ev_data from {schema}.get_batch_events(%s)", [batch]).fetchall()
            found += [now - float(data) for (data,) in rows]
            conn.execute(f"select {schema}.finish_batch(%s)", [batch])
            conn.commit()
    results.put(found)


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def milliseconds(name, values):
    """Two figures, p50 and p99."""
    return {f"{name}_p50": percentile(values, 0.5) * 1000, f"{name}_p99": percentile(values, 0.99) * 1000}
