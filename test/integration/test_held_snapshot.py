"""A snapshot that is held open for long leaves nothing dead behind in pgtq's tables, and space comes back."""

import pytest
from server import eventually

CYCLES = 300
ROTATIONS = 12


@pytest.fixture
def holder(db):
    """A transaction somewhere in the database that has an xid, a snapshot, and no end."""
    with db.connect(autocommit=False) as conn:
        conn.execute("set transaction isolation level repeatable read")
        conn.execute("create table unrelated ()")
        yield conn
        conn.rollback()


def statistics(db):
    """Dead, updated and deleted rows of the tables that every batch touches."""
    return dict(db.rows("""
        select relname, n_dead_tup + n_tup_upd + n_tup_del
          from pg_stat_all_tables
         where schemaname = 'pgtq'
           and relname ~ '^(position|tick|event|subscriber|queue|consumer|retry)'"""))


def cycle(conn, n):
    conn.execute("select pgtq.insert_event('q', 't', %s)", (f"{n}",))
    conn.execute("select pgtq.ticker('q')")
    (batch,) = conn.execute("select pgtq.next_batch('q', 'c')").fetchone()
    events = conn.execute("select ev_data from pgtq.get_batch_events(%s)", (batch,)).fetchall()
    assert events == [(f"{n}",)]
    assert conn.execute("select pgtq.finish_batch(%s)", (batch,)).fetchone() == (1,)


def test_held_snapshot(db, holder):
    db.psql("""
        select pgtq.create_queue('q');
        select pgtq.set_queue_config('q', 'ticker_max_lag', '0');
        select pgtq.set_queue_config('q', 'rotation_period', '0');
        select pgtq.register_consumer('q', 'c');
    """)
    # set_queue_config() has updated the queue
    db.rows("vacuum pgtq.queue")

    with db.connect() as conn:      # statistics are reported when it ends, at the latest
        for n in range(CYCLES):
            cycle(conn, n)

    def counted():
        return db.value("select sum(n_tup_ins) from pg_stat_all_tables"
                        " where relname like 'position__'") >= 2 * CYCLES

    eventually(counted)
    after = statistics(db)
    before_queue = after.pop("queue")
    assert {table for table, dead in after.items() if dead} == set()
    assert {"position_0", "event_1_0", "tick_1_0", "subscriber"} <= set(after)
    assert db.value("select pg_relation_size('pgtq.subscriber')") == 8192

    # space comes back while the snapshot is held
    used = "select sum(pg_relation_size(c.oid)) from pg_class c where relname ~ '^(event|tick)_1_.$'"
    full = db.value(used)
    assert full > 8192 * 5
    with db.connect() as conn:
        conn.execute("set pgtq.truncate_patience = 0")
        for n in range(ROTATIONS):
            cycle(conn, n)
            conn.execute("select pgtq.maint_rotate_tables_step1('q')")
            (current,) = conn.execute("select last_value from pgtq.position_cur_seq").fetchone()
            conn.execute(f"insert into pgtq.position_{current} (pos_sub, pos_n)"
                         f" select 1000000, n from generate_series({n}001, {n}900) n")
            conn.execute("select pgtq.maint_rotate_tables_step2()")
    assert db.value("select queue_ntables from pgtq.queue") == 3
    assert db.value(used) <= 8192 * 4
    sizes = db.rows("select pg_relation_size(c.oid) from pg_class c where relname ~ '^event_1_.$'")
    assert (0,) in sizes
    assert db.value("select min(pg_relation_size(c.oid)) from pg_class c"
                    " where relname ~ '^position_.$'") == 0

    # a rotation updates the queue's row, a few times; nothing else does
    eventually(lambda: statistics(db)["queue"] > before_queue)
    after = statistics(db)
    assert after.pop("queue") - before_queue <= 8 * ROTATIONS
    assert {table for table, dead in after.items() if dead} == set()
