"""wait_batch() and health() where no worker runs: both builds, on a server without the library."""

import psycopg
import pytest
from consumer import Background, batch, events


@pytest.fixture
def conn(db):
    db.psql("""select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c');
               select pgtq.set_queue_config('q', 'ticker_max_lag', '0')""")
    with db.connect() as conn:
        yield conn


def test_it_looks_by_itself(db, conn):
    assert batch(conn, timeout="0") is None
    waiting = Background(events, conn, 1)
    db.rows("select pgtq.insert_event('q', 't', 'x')")
    db.rows("select pgtq.ticker('q')")
    assert waiting.result() == ["x"]


def test_open_batch_is_returned_again(db, conn):
    db.rows("select pgtq.insert_event('q', 't', 'x')")
    db.rows("select pgtq.ticker('q')")
    (first,) = conn.execute("select pgtq.wait_batch('q', 'c', '1 s')").fetchone()
    assert first and conn.execute("select pgtq.wait_batch('q', 'c', null)").fetchone() == (first,)


def test_errors(conn):
    for arguments in (("q", "nobody", "1 s"), ("nowhere", "c", "1 s"), (None, "c", "1 s"),
                      ("q", None, "1 s")):
        with pytest.raises(psycopg.errors.UndefinedObject, match="Not subscriber to queue"):
            conn.execute("select pgtq.wait_batch(%s, %s, %s)", arguments)
    for level in ("repeatable read", "serializable"):
        conn.execute(f"begin isolation level {level}")
        with pytest.raises(psycopg.errors.InvalidTransactionState,
                           match="pgtq.wait_batch must run under READ COMMITTED") as error:
            batch(conn)
        assert error.value.diag.message_detail == f"The transaction is {level.upper()}."
        conn.execute("rollback")


def test_nobody_ticks_and_health_says_so(db, conn):
    (row,) = db.rows("select running, ticker_pid, ticks, lateness from pgtq.ticker_stats")
    assert row == (False, None, 0, [])
    found = {name: (status, hint) for name, status, _, hint in db.rows("select * from pgtq.health()")}
    assert {"preload", "server", "ticks"} <= set(found)
    assert not {"ticker", "maintenance", "executor", "worker slots"} & set(found)
    assert found["preload"][0] == "warn" and "pgtq.ticker()" in found["preload"][1]
    assert found["server"][0] == found["ticks"][0] == "ok"
    db.rows("update pgtq.queue set queue_ticker_idle_period = '0'")
    tick = db.value("select inhrelid::regclass::text from pg_inherits join pg_class c on c.oid = inhrelid"
                    " where inhparent = 'pgtq.tick'::regclass order by relname limit 1")
    db.rows(f"update {tick} set tick_time = tick_time - interval '1 hour'")
    assert ("ticks", "error") in db.rows("select name, status from pgtq.health()")


def test_notify(db, conn):
    with db.connect() as other:
        other.execute("listen pgtq_tick")
        conn.execute("set pgtq.notify_ticks = on")
        conn.execute("select pgtq.insert_event('q', 't', 'x')")
        conn.execute("select pgtq.ticker('q')")
        notification = next(other.notifies())
        assert (notification.channel, notification.payload) == ("pgtq_tick", "q")
