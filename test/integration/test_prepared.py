"""Prepared transactions: an event is delivered when its transaction is committed, not before."""

import pytest


def consume(conn):
    events = []
    while True:
        (batch,) = conn.execute("select pgtq.next_batch('q', 'c')").fetchone()
        if batch is None:
            return events
        events += [data for (data,) in conn.execute(
            "select ev_data from pgtq.get_batch_events(%s)", (batch,))]
        conn.execute("select pgtq.finish_batch(%s)", (batch,))


def turn(conn, data):
    """One event, delivered at once, and a rotation; how many tables the ring then has."""
    conn.execute("select pgtq.insert_event('q', 't', %s)", (data,))
    conn.execute("select pgtq.ticker('q')")
    events = consume(conn)
    for _ in range(2):
        conn.execute("select pgtq.maint_rotate_tables_step1('q')")
    (tables,) = conn.execute("select queue_ntables from pgtq.queue").fetchone()
    return events, tables


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_prepared_transaction(db, end):
    gid = f"{db.name} {end}"        # of the whole server
    with db.connect() as conn:
        conn.execute("select pgtq.create_queue('q')")
        conn.execute("select pgtq.set_queue_config('q', 'ticker_max_lag', '0')")
        conn.execute("select pgtq.set_queue_config('q', 'ticker_idle_period', '0')")
        conn.execute("select pgtq.set_queue_config('q', 'rotation_period', '0')")
        conn.execute("select pgtq.register_consumer('q', 'c')")

        conn.execute("begin")
        conn.execute("select pgtq.insert_event('q', 't', 'prepared')")
        conn.execute("savepoint s")
        conn.execute("select pgtq.insert_event('q', 't', 'in a savepoint')")
        conn.execute(f"prepare transaction '{gid}'")
        try:
            for n in range(5):
                events, tables = turn(conn, f"{n}")
                assert events == [f"{n}"]
            assert tables > 3, "the ring has not grown"
        finally:
            conn.execute(f"{end} prepared '{gid}'")

        events, _ = turn(conn, "last")
        expected = ["prepared", "in a savepoint"] if end == "commit" else []
        assert sorted(events) == sorted([*expected, "last"])

        # the ring goes back to three tables, and nothing comes a second time
        for n in range(20):
            events, tables = turn(conn, "more")
            assert events == ["more"]
            if tables == 3:
                break
        assert tables == 3
