"""Rows of one table through jsontriga() and logutriga(): what a trigger adds to a statement.

Inserts and updates of many rows in one statement, so that the cost per row is what counts;
the same statements without a trigger are taken off.
"""

import time

from systems.pgq_api import QUEUE

ROWS = 20_000

# A repetition takes a few seconds; other work can spoil one as a whole.
ROUNDS = 2

KINDS = ("jsontriga", "logutriga")

FIGURES = {
    f"{kind}_{op}": ("µs/row", "lower", f"{kind}, {op}") for kind in KINDS for op in ("insert", "update")
}

UPDATE = "update item set name = name || '!', paid = not paid"


def create_table(system, conn, table, kind):
    """The table, with the trigger unless kind is None."""
    conn.execute(
        f"create table {table} (id integer primary key, customer bigint, name text, price numeric(12,2),"
        " paid boolean, created timestamptz, note text, weight float8)"
    )
    if kind:
        conn.execute(
            f"create trigger t after insert or update on {table} for each row"
            f" execute function {system.schema}.{kind}('{QUEUE}')"
        )


def insert_sql(rows, table="item", first=1):
    """Values of several types, some null, some that must be quoted."""
    return (
        f"insert into {table} select i, i * 1000003::bigint, 'item number ' || i, i * 1.25, i % 2 = 0,"
        " timestamptz '2020-01-01 00:00+00' + i * interval '1 minute',"
        " case when i % 4 = 0 then null else 'a \"note\" & more, ' || i end, i / 7.0"
        f" from generate_series({first}, {first + rows - 1}) i"
    )


def run(rep):
    # PL takes fifty times as long
    rows = ROWS if rep.system.name.endswith("_c") else ROWS // 20
    with rep.connect() as conn:
        rep.system.create_queue(conn)
        bare = measure(rep, conn, None, rows)
        figures = {}
        for kind in KINDS:
            timed = measure(rep, conn, kind, rows)
            for op in bare:
                figures[f"{kind}_{op}"] = (timed[op] - bare[op]) / rows * 1e6
    return figures, {"rows": rows, "without_trigger_us": {op: t / rows * 1e6 for op, t in bare.items()}}


def measure(rep, conn, kind, rows):
    """Seconds for an insert and an update of all rows."""
    conn.execute("drop table if exists item")
    create_table(rep.system, conn, "item", kind)
    # The first rows fill caches and plans; not what is measured here.
    conn.execute(insert_sql(10))
    conn.execute(UPDATE)
    conn.execute("truncate item")
    rep.checkpoint()
    seconds = {}
    for op, sql in (("insert", insert_sql(rows)), ("update", UPDATE)):
        before = events(rep, conn)
        start = time.monotonic()
        conn.execute(sql)
        seconds[op] = time.monotonic() - start
        rep.expect("events", events(rep, conn) - before, rows if kind else 0)
    return seconds


def events(rep, conn):
    return conn.execute(f"select count(*) from {rep.system.schema}.event_template").fetchone()[0]
