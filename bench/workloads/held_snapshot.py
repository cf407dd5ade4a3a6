"""Throughput over time while somebody holds a snapshot open.

Nothing that dies after the snapshot was taken can be cleaned up, so whatever a system
updates or deletes grows with every batch and has to be walked by the next. One client
inserts at full rate; a consumer reads as fast as it can: with PgQ's API it ticks, opens, reads and finishes
batches, small and many, which is what makes the cost of a consumer's position visible.
A system is flat if the last part of the run is as fast as the first.
"""

import time

import systems
from systems.pgq_api import PgqApi

SYSTEMS = systems.QUEUES

SYNC = "on"

# pgqd's rounds are longer (120 s); here at least some fall into a run of three minutes.
MAINTENANCE_SECONDS = 30

FIGURES = {
    "batches": ("batches/s", "higher", "batches, whole run"),
    "batches_kept": ("last/first", "higher", "batches, end of the run over its start"),
    "consumed": ("events/s", "higher", "events read, whole run"),
    "consumed_kept": ("last/first", "higher", "events read, end over start"),
    "produced": ("events/s", "higher", "events inserted, whole run"),
    "produced_kept": ("last/first", "higher", "events inserted, end over start"),
    "dead": ("rows", "lower", "dead rows in the schema's tables"),
    "dead_per_batch": ("rows/batch", "lower", "dead rows per batch"),
    "bookkeeping": ("bytes/batch", "lower", "growth of all but the event tables, per batch"),
    "schema": ("MB", "lower", "size of the schema's tables with indexes"),
}

# Lists in the details, one value per interval, that the report shows as they went.
SERIES = {
    "batches_per_s": "batches/s",
    "consumed_per_s": "events/s read",
    "produced_per_s": "events/s inserted",
}

TABLES = """
    select c.relname,
           pg_stat_get_dead_tuples(c.oid) + coalesce(pg_stat_get_dead_tuples(nullif(c.reltoastrelid, 0)), 0),
           pg_total_relation_size(c.oid)
      from pg_class c
     where c.relnamespace = %s::regnamespace and c.relkind = 'r'
     order by c.relname
"""


def hold_snapshot(conn):
    conn.execute("begin isolation level repeatable read")
    conn.execute("select count(*) from pg_class")


def run(rep, hold=hold_snapshot):
    seconds = 180 if rep.full else 10
    with rep.connect() as conn:
        rep.system.create_queue(conn)
        # what setting up has left is not what is measured; neither rows nor their count
        conn.execute("select pg_stat_force_next_flush()")
        conn.execute("vacuum")
        before = tables(rep, conn)
    rep.checkpoint()

    with rep.connect() as holder:
        hold(holder)
        script = rep.system.insert_sql("'" + "payload-".ljust(100, "x") + "'") + ";\n"
        with rep.pgbench_running(script, 1, seconds, SYNC) as producer:
            batches, consumed, read = consume(rep, seconds)
            inserted = producer.result()
        with rep.connect() as conn:
            rep.wait_for_clients_to_leave(conn, stay=[holder.info.backend_pid])
            after = tables(rep, conn)
            rep.expect("events read", read + read_rest(rep, conn), inserted.transactions)
        holder.execute("rollback")

    produced = inserted.per_second[:seconds]
    part = 20 if rep.full else seconds // 3
    count = sum(batches)
    dead = sum(t["dead"] for t in after.values())
    size = sum(t["bytes"] for t in after.values())
    figures = {
        "consumed": sum(consumed) / seconds,
        "consumed_kept": kept(consumed, part),
        "produced": sum(produced) / len(produced),
        "produced_kept": kept(produced, part),
        "dead": dead,
        "schema": size / 1e6,
    }
    if isinstance(rep.system, PgqApi):      # the others' batches are of a size of their own
        figures["batches"] = count / seconds
        figures["batches_kept"] = kept(batches, part)
        figures["dead_per_batch"] = dead / count
        figures["bookkeeping"] = (bookkeeping(after) - bookkeeping(before)) / count
    step = 10 if rep.full else 1
    details = {
        "seconds": seconds,
        "synchronous_commit": SYNC,
        "compared_seconds": part,
        "interval_seconds": step,
        "batches_per_s": intervals(batches, step),
        "consumed_per_s": intervals(consumed, step),
        "produced_per_s": intervals(produced, step),
        "tables": after,
    }
    return figures, details


def consume(rep, seconds):
    """Ticks and reads until the time is over.

    Returns batches and events for every second of the run, and all events read.
    """
    batches, events, total = [0] * seconds, [0] * seconds, 0
    with rep.connect(sync=SYNC) as conn, rep.connect(sync=SYNC) as maintenance:
        start = time.monotonic()
        next_maintenance = MAINTENANCE_SECONDS
        while True:
            read = rep.system.read(conn)
            total += read or 0
            passed = time.monotonic() - start
            if passed >= seconds:
                return batches, events, total
            if read is not None:
                batches[int(passed)] += 1
                events[int(passed)] += read
            if passed >= next_maintenance:
                rep.system.maintain(maintenance)
                next_maintenance += MAINTENANCE_SECONDS


def read_rest(rep, conn):
    """What is left at the end."""
    total = 0
    while read := rep.system.read(conn):
        total += read
    return total


def tables(rep, conn):
    rows = conn.execute(TABLES, [rep.system.schema]).fetchall()
    return {name: {"dead": int(dead or 0), "bytes": int(size)} for name, dead, size in rows}


def bookkeeping(sizes):
    return sum(t["bytes"] for name, t in sizes.items() if not name.startswith("event_"))


def kept(series, part):
    first = sum(series[:part])
    return sum(series[-part:]) / first if first else 0.0


def intervals(series, step):
    """Means over step values each."""
    parts = [series[i : i + step] for i in range(0, len(series), step)]
    return [round(sum(part) / len(part), 1) for part in parts]
