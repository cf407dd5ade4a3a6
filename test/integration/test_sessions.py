"""Sessions that outlive what they have seen: a queue, or the whole extension."""

import psycopg
import pytest


def use(conn, queue="q"):
    """One event through a queue."""
    conn.execute("select pgtq.create_queue(%s)", (queue,))
    conn.execute("select pgtq.set_queue_config(%s, 'ticker_max_lag', '0')", (queue,))
    conn.execute("select pgtq.register_consumer(%s, 'c')", (queue,))
    conn.execute("select pgtq.insert_event(%s, 't', 'one')", (queue,))
    conn.execute("select pgtq.ticker(%s)", (queue,))
    assert consume(conn, queue) == [["one"]]


def consume(conn, queue="q", consumer="c"):
    """All batches there are."""
    batches = []
    while True:
        (batch,) = conn.execute("select pgtq.next_batch(%s, %s)", (queue, consumer)).fetchone()
        if batch is None:
            return batches
        batches.append([data for (data,) in conn.execute(
            "select ev_data from pgtq.get_batch_events(%s)", (batch,))])
        conn.execute("select pgtq.finish_batch(%s)", (batch,))


def test_extension_is_dropped_and_created_again(server):
    db = server.create_db(build="c")
    try:
        with db.connect() as conn, db.connect() as other:
            use(conn)
            use(other, "other")
            for _ in range(2):
                conn.execute("drop extension pgtq cascade")
                with pytest.raises(psycopg.Error):
                    other.execute("select pgtq.insert_event('other', 't', 'x')")
                conn.execute("create extension pgtq")
                use(conn)
                use(other, "other")
                with pytest.raises(psycopg.errors.UndefinedObject):
                    other.execute("select pgtq.insert_event('third', 't', 'x')")
    finally:
        db.drop()


@pytest.mark.parametrize("in_between", [False, True], ids=["idle", "used in between"])
def test_queue_is_dropped_and_created_again(db, in_between):
    with db.connect() as conn, db.connect() as other:
        use(conn)
        for n in range(3):
            other.execute("select pgtq.drop_queue('q', true)")
            if in_between:
                with pytest.raises(psycopg.errors.UndefinedObject, match="No such queue"):
                    conn.execute("select pgtq.insert_event('q', 't', 'x')")
            use(other)
            conn.execute("select pgtq.insert_event('q', 't', %s)", (f"{n}",))
            other.execute("select pgtq.ticker('q')")
            assert consume(other) == [[f"{n}"]]
            # and the other way round
            other.execute("select pgtq.insert_event('q', 't', 'back')")
            other.execute("select pgtq.ticker('q')")
            assert consume(conn) == [["back"]]


def test_queue_of_the_same_id_in_another_transaction(db):
    """A queue whose creation was rolled back leaves no memory behind."""
    with db.connect() as conn:
        for n in range(3):
            with pytest.raises(ZeroDivisionError), conn.transaction():
                use_in_transaction(conn, n)
                raise ZeroDivisionError
            conn.execute("select setval('pgtq.queue_queue_id_seq', 1, false)")
        use(conn)


def use_in_transaction(conn, n):
    conn.execute("select pgtq.create_queue('q')")
    conn.execute("select pgtq.insert_event('q', 't', %s)", (f"{n}",))
    conn.execute("select pgtq.register_consumer('q', 'c')")


def test_twenty_queues(db):
    queues = [f"queue {n}" for n in range(20)]
    consumers = ("a", "b", "c")
    with db.connect() as conn:
        for queue in queues:
            conn.execute("select pgtq.create_queue(%s)", (queue,))
            conn.execute("select pgtq.set_queue_config(%s, 'ticker_max_lag', '0')", (queue,))
            conn.execute("select pgtq.set_queue_config(%s, 'rotation_period', '0')", (queue,))
            for consumer in consumers:
                conn.execute("select pgtq.register_consumer(%s, %s)", (queue, consumer))
        for turn in range(4):
            for queue in queues:
                conn.execute("select pgtq.insert_event(%s, 't', %s)", (queue, f"{turn} in {queue}"))
            assert conn.execute("select pgtq.ticker()").fetchone() == (len(queues),)
            for queue in queues:
                for consumer in consumers[turn % 2:]:
                    assert ([f"{turn} in {queue}"] in consume(conn, queue, consumer)) is True
            for name, argument in conn.execute("select * from pgtq.maint_operations()").fetchall():
                arguments = () if argument is None else (argument,)
                while conn.execute(f"select {name}({'%s' if arguments else ''})",
                                   arguments).fetchone()[0]:
                    pass
        # one that lags holds up its own queue only
        assert conn.execute("select count(distinct tick_queue) from pgtq.tick").fetchone() == (20,)
        for queue in queues:
            for consumer in consumers:
                consume(conn, queue, consumer)
        assert conn.execute("select count(*) from pgtq.get_consumer_info()"
                            " where pending_events > 0").fetchone() == (0,)
