"""The ticker: who is served when, in one database."""

import datetime
import time

import psycopg
import pytest
from consumer import Background, batch, events, is_waiting
from server import eventually

RETRY = "select pgtq.event_retry_raw('q', 'c', %s, null, now(), 1, 't', %s, null, null, null, null)"


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def seconds(n):
    return datetime.timedelta(seconds=n)


def stats(db):
    (row,) = db.rows("select row_to_json(s) from pgtq.ticker_stats s")
    return row[0]


def insert(db, data):
    db.rows("select pgtq.insert_event('q', 't', %s)", data)


def test_workers_can_be_seen(ticking):
    def seen():
        return ticking.rows("""
            select backend_type, application_name, state, wait_event_type
              from pg_stat_activity where backend_type like 'pgtq %%'
               and (datname = current_database() or datname is null) order by 1""")
    eventually(lambda: seen() == [("pgtq launcher", "pgtq launcher", "idle", "Extension"),
                                  ("pgtq ticker", "pgtq ticker", "idle", "Extension")])


def test_waiting_consumer_is_served_at_once(ticking):
    with ticking.connect() as conn:
        waiting = Background(events, conn, 1)
        eventually(lambda: is_waiting(ticking))
        started = time.monotonic()
        insert(ticking, "x")
        assert waiting.result() == ["x"]
        assert time.monotonic() - started < 5          # max_lag is an hour


def test_event_that_was_there_before_the_consumer(ticking):
    insert(ticking, "before")
    with ticking.connect() as conn:
        assert events(conn, 1) == ["before"]


def test_event_of_a_long_transaction(ticking):
    with ticking.connect(autocommit=False) as writer, ticking.connect() as conn:
        writer.execute("select pgtq.insert_event('q', 't', 'long')")
        insert(ticking, "short")
        assert events(conn, 1) == ["short"]
        waiting = Background(events, conn, 1)
        eventually(lambda: is_waiting(ticking))
        writer.commit()
        assert waiting.result() == ["long"]


def test_direct_write(ticking):
    with ticking.connect() as conn:
        waiting = Background(events, conn, 1)
        eventually(lambda: is_waiting(ticking))
        with ticking.connect(autocommit=False) as writer:
            (table,) = writer.execute("select pgtq.current_event_table('q')").fetchone()
            writer.execute(f"insert into {table} (ev_id, ev_time, ev_data) values (1, now(), 'x')")
        assert waiting.result() == ["x"]


def test_all_who_wait_are_woken(ticking):
    names = [f"c{n}" for n in range(15)]
    for name in names:
        ticking.rows("select pgtq.register_consumer('q', %s)", name)
    conns = [ticking.connect() for _ in names]
    waiting = [Background(lambda c=conn, n=name: events(c, 1, consumer=n))
               for conn, name in zip(conns, names)]
    eventually(lambda: is_waiting(ticking, len(names)))
    insert(ticking, "x")
    assert [w.result() for w in waiting] == [["x"]] * len(names)
    for conn in conns:
        conn.close()


def test_tick_by_hand_wakes_too(ticking):
    ticking.rows("select pgtq.set_queue_config('q', 'external_ticker', 'true')")
    with ticking.connect() as conn:
        waiting = Background(batch, conn)
        eventually(lambda: is_waiting(ticking))
        ticking.rows("select pgtq.ticker('q', 100, now(), 1)")
        assert waiting.result() == []


def test_max_lag(ticking):
    ticking.rows("select pgtq.set_queue_config('q', 'ticker_max_lag', '0.3 s')")
    insert(ticking, "x")
    eventually(lambda: ticking.value("select pgtq.next_batch('q', 'c')"))


def test_max_count(ticking):
    """The tick comes with the tenth event, not before."""
    ticking.rows("select pgtq.set_queue_config('q', 'ticker_max_count', '10')")
    for n in range(10):
        insert(ticking, f"{n}")
    batch_id = eventually(lambda: ticking.value("select pgtq.next_batch('q', 'c')"))
    assert ticking.value("select count(*) from pgtq.get_batch_events(%s)", batch_id) == 10


def test_idle_queue_is_ticked(ticking):
    ticking.rows("select pgtq.set_queue_config('q', 'ticker_idle_period', '1 s')")
    with ticking.connect() as conn:
        assert batch(conn) == []
        assert batch(conn) == []


def test_idle_sleeps(ticking):
    """With nothing due the ticker plans to sleep for most of a minute, and does."""
    def asleep():
        return ticking.rows("select wakeups, next_wake from pgtq._ticker_state() where next_wake > clock_timestamp() + interval '20 s'")
    before = eventually(asleep)
    with pytest.raises(AssertionError):     # for a while: longer than any wait of its own that is not a plan
        eventually(lambda: ticking.value("select wakeups from pgtq._ticker_state()") > before[0][0] + 1, 3)
    assert asleep()


def test_paused_queue_is_not_ticked(ticking):
    ticking.psql("""select pgtq.create_queue('other'), pgtq.register_consumer('other', 'c');
                    select pgtq.set_queue_config('q', 'ticker_paused', 'true')""")
    insert(ticking, "x")
    with ticking.connect() as conn:
        ticking.rows("select pgtq.insert_event('other', 't', 'y')")
        assert events(conn, 1, queue="other") == ["y"]
        assert ticking.value("select pgtq.next_batch('q', 'c')") is None
        ticking.rows("select pgtq.set_queue_config('q', 'ticker_paused', 'false')")
        assert events(conn, 1) == ["x"]


# -- what is due later


def test_due_is_delivered_in_time_and_never_early(ticking):
    with ticking.connect() as conn:
        for wait in (0.3, 0.05, 0.5, 0):
            due = now() + seconds(wait)
            ticking.rows(RETRY, due, f"{wait}")
            assert events(conn, 1) == [f"{wait}"]
            assert due <= now() < due + seconds(5)


def test_earlier_one_wakes_the_ticker(ticking):
    ticking.rows(RETRY, now() + seconds(3600), "late")
    eventually(lambda: stats(ticking)["next_due"])
    with ticking.connect() as conn:
        ticking.rows(RETRY, now() + seconds(0.2), "soon")
        assert events(conn, 1) == ["soon"]
    eventually(lambda: "next_due" in stats(ticking))
    late = ticking.value("select next_due from pgtq.ticker_stats")
    assert late > now() + seconds(3000)         # it has not forgotten the other


def test_committed_after_it_was_due(ticking):
    with ticking.connect() as conn, ticking.connect(autocommit=False) as writer:
        writer.execute(RETRY, (now() + seconds(0.01), "x"))
        writer.execute("select pg_sleep(0.02)")
        waiting = Background(events, conn, 1)
        eventually(lambda: is_waiting(ticking))
        writer.commit()
        assert waiting.result() == ["x"]


def test_savepoints(ticking):
    with ticking.connect() as conn, ticking.connect(autocommit=False) as writer:
        writer.execute(RETRY, (now() + seconds(0.1), "kept"))
        writer.execute("savepoint s")
        writer.execute(RETRY, (now(), "undone"))
        writer.execute("rollback to s")
        writer.execute("savepoint s2")
        writer.execute("select pgtq.insert_event('q', 't', 'event')")
        writer.execute("release s2")
        writer.commit()
        assert sorted(events(conn, 2)) == ["event", "kept"]


@pytest.mark.parametrize("kind", ["event", "retry"])
def test_commit_prepared_wakes(ticking, kind):
    gid = f"{ticking.name} {kind}"
    with ticking.connect() as writer, ticking.connect() as conn:
        writer.execute("begin")
        if kind == "event":
            writer.execute("select pgtq.insert_event('q', 't', 'x')")
        else:
            writer.execute(RETRY, (now(), "x"))
        writer.execute(f"prepare transaction '{gid}'")
        waiting = Background(events, conn, 1)
        eventually(lambda: is_waiting(ticking))
        ticking.rows(f"commit prepared '{gid}'")
        assert waiting.result() == ["x"]


def test_slices_and_counters(ticking):
    before = stats(ticking)
    with ticking.connect() as conn:
        conn.execute("select count(pgtq.event_retry_raw('q', 'c', now() + '0.1 s', null, now(), 1, 't', i::text,"
                     " null, null, null, null)) from generate_series(1, 5000) i")
        assert sorted(map(int, events(conn, 5000))) == list(range(1, 5001))

    def counted():
        after = stats(ticking)
        return after if after["events_moved"] == before["events_moved"] + 5000 else None

    after = eventually(counted)
    eventually(lambda: sum(stats(ticking)["lateness"]) == stats(ticking)["moves"])
    assert after["ticks"] > before["ticks"] and after["errors"] == 0


# -- others


def test_wait_batch_ends_in_time(ticking):
    with ticking.connect() as conn:
        started = time.monotonic()
        assert batch(conn, timeout="0.2 s") is None
        assert 0.15 < time.monotonic() - started < 5
        assert batch(conn, timeout="-1 s") is None
        with pytest.raises(psycopg.errors.UndefinedObject, match="Not subscriber"):
            batch(conn, consumer="nobody")
        conn.execute("set statement_timeout = '100ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            batch(conn)
        conn.execute("reset statement_timeout")
        insert(ticking, "x")
        assert events(conn, 1) == ["x"]


def test_waiting_locks_nothing(ticking):
    """Not even a transaction id is used up, and the consumer can be unregistered."""
    with ticking.connect() as conn:
        waiting = Background(batch, conn)
        eventually(lambda: is_waiting(ticking))
        assert ticking.value("select backend_xid is null from pg_stat_activity where pid = %s",
                             conn.info.backend_pid)
        ticking.rows("select pgtq.unregister_consumer('q', 'c')")
        ticking.rows("select pgtq.ticker('q')")
        insert(ticking, "x")
        conn.cancel()
        with pytest.raises(psycopg.Error):
            waiting.result()


def test_notify(ticking):
    """One per tick, on demand; a ticker reads the setting when it starts."""
    ticking.rows(f'alter database "{ticking.name}" set pgtq.notify_ticks = on')
    pid = stats(ticking)["ticker_pid"]
    ticking.rows("select pg_terminate_backend(%s)", pid)
    eventually(lambda: stats(ticking)["ticker_pid"] not in (None, pid))
    with ticking.connect() as listener, ticking.connect() as conn:
        listener.execute("listen pgtq_tick")
        insert(ticking, "x")
        assert events(conn, 1) == ["x"]
        notification = next(listener.notifies())
        assert (notification.channel, notification.payload) == ("pgtq_tick", "q")


def test_queue_that_is_locked_holds_up_no_other(ticking):
    ticking.psql("select pgtq.create_queue('other'), pgtq.register_consumer('other', 'c')")
    table = ticking.value("select queue_data_pfx from pgtq.queue where queue_name = 'q'")
    with ticking.connect(autocommit=False) as holder, ticking.connect() as conn:
        insert(ticking, "held")
        holder.execute(f"lock table {table} in access exclusive mode")
        waiting = Background(events, conn, 1)
        with ticking.connect() as other:
            for n in range(3):
                ticking.rows("select pgtq.insert_event('other', 't', %s)", f"{n}")
                assert events(other, 1, queue="other") == [f"{n}"]
        eventually(lambda: stats(ticking)["errors"] > 0)
        assert ("errors", "warn") in ticking.rows("select name, status from pgtq.health()")
        holder.rollback()
        assert waiting.result(60) == ["held"]


def test_settings_of_the_database_do_not_stop_it(preloaded):
    db = preloaded.create_db()
    for setting in ("default_transaction_read_only = on", "search_path = nowhere", "statement_timeout = '1ms'",
                    "default_transaction_isolation = serializable", "lock_timeout = '1ms'"):
        preloaded.psql("postgres", f'alter database "{db.name}" set {setting}')
    pid = eventually(lambda: db.value("select ticker_pid from pgtq.ticker_stats"))
    preloaded.psql("postgres", f"select pg_terminate_backend({pid})")
    with preloaded.connect(db.name, options="-c default_transaction_read_only=off -c statement_timeout=0"
                           " -c default_transaction_isolation=read\\ committed -c lock_timeout=0") as conn:
        conn.execute("select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c')")
        # another ticker, that has seen the settings
        eventually(lambda: conn.execute("select ticker_pid not in (0, %s) from pgtq.ticker_stats",
                                        (pid,)).fetchone()[0])
        conn.execute("select pgtq.insert_event('q', 't', 'x')")
        assert events(conn, 1) == ["x"]
    db.drop()


def test_maintenance_rotates_and_runs_nothing_of_others(ticking):
    ticking.rows("alter system set pgtq.maintenance_interval = '1s'")
    ticking.server.reload()
    ticking.psql("""
        create table ran (as_whom text);
        create function extra(text) returns integer language sql
            as 'insert into ran values (current_user); select 0';
        select pgtq.set_queue_config('q', 'extra_maint', '{public.extra}');
        select pgtq.set_queue_config('q', 'rotation_period', '0');
    """)
    insert(ticking, "x")
    with ticking.connect() as conn:
        assert events(conn, 1) == ["x"]
    eventually(lambda: ticking.value("select queue_cur_table > 0 from pgtq.queue"))
    eventually(lambda: stats(ticking)["maintenance_runs"] > 1)
    assert ticking.rows("select * from ran") == []
    ticking.rows("alter system reset pgtq.maintenance_interval")
    ticking.server.reload()


def test_terminated_ticker_comes_back(ticking):
    pid = stats(ticking)["ticker_pid"]
    assert ticking.value("select pg_terminate_backend(%s)", pid)
    insert(ticking, "meanwhile")
    with ticking.connect() as conn:
        assert events(conn, 1) == ["meanwhile"]
    assert stats(ticking)["ticker_pid"] != pid


def test_reader_may_look(ticking):
    with ticking.connect() as conn:
        conn.execute("set role pgtq_reader")
        assert conn.execute("select running from pgtq.ticker_stats").fetchone() == (True,)
        found = dict(conn.execute("select name, status from pgtq.health()").fetchall())
        assert set(found) >= {"preload", "server", "worker slots", "ticker", "maintenance", "executor",
                              "sessions", "errors", "ticks"}
        assert found["ticker"] == found["ticks"] == "ok"
        assert batch(conn, timeout="0") is None


@pytest.mark.parametrize("role", ["nobody_special", "pgtq_reader", "pgtq_writer", "pgtq_admin"])
def test_ordinary_roles_cannot_stop_it(ticking, role):
    """Nor what it does, nor what it is told; an admin may lock his queue, and no more."""
    if role == "nobody_special":
        ticking.rows("create role nobody_special")
    pid = stats(ticking)["ticker_pid"]
    refused = [f"select pg_terminate_backend({pid})", f"select pg_cancel_backend({pid})",
               "select pgtq._wake_at(now())", "select pgtq._queues_changed()", "select pgtq._tick(1, true)",
               "select pgtq._move_due(1)", "lock table pgtq.queue in access exclusive mode",
               "lock table pgtq.tick_1_0 in share mode", "create function pgtq.f() returns int language sql as 'select 1'",
               "create trigger t before insert on pgtq.tick_1_0 execute function suppress_redundant_updates_trigger()"]
    if role != "pgtq_admin":
        refused.append("lock table pgtq.event_1 in share update exclusive mode")
    with ticking.connect() as conn:
        conn.execute(f"set role {role}")
        for command in refused:
            conn.execute("begin")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute(command)
            conn.execute("rollback")
    if role == "nobody_special":
        ticking.rows("drop role nobody_special")
    assert stats(ticking)["ticker_pid"] == pid
