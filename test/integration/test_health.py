"""health(): each check is provoked and seen. why(): each place a timer can be in."""

import pytest
from server import eventually
from timers import drop_role, outcome, schedule

APPLIES_ALWAYS = {"preload", "server", "ticks", "overdue timers", "roles", "unread queues", "consumers",
                  "rotation", "old snapshots", "clock", "settings", "schedules"}


def check(db, name):
    """Status, what is seen and the hint of a check."""
    return db.rows("select status, seen, hint from pgtq.health() where name = %s", name)[0]


def why(db, timer, user="postgres"):
    with db.connect(user=user) as conn:
        return conn.execute("select pgtq.why(%s)", (timer,)).fetchone()[0]


def tick(db):
    db.psql("select pgtq.ticker()")
    db.psql("select pgtq.ticker()")


def rotate(db, times):
    for _ in range(times):
        tick(db)
        db.psql("select pgtq.force_tick('q')")
        tick(db)
        db.psql("select pgtq.maint_rotate_tables_step1('q')")
        db.psql("select pgtq.maint_rotate_tables_step2()")


def test_all_is_well(db):
    db.psql("select pgtq.create_queue('q')")
    found = {name: status for name, status in db.rows("select name, status from pgtq.health()")}
    assert set(found) == APPLIES_ALWAYS
    assert {name for name, status in found.items() if status != "ok"} <= {"preload", "settings"}


def test_reader_may_ask(db):
    db.psql("drop role if exists asker; create role asker login; grant pgtq_reader to asker")
    try:
        with db.connect(user="asker") as conn:
            assert conn.execute("select count(*) from pgtq.health()").fetchone()[0] == len(APPLIES_ALWAYS)
            for view in ("queue_stats", "consumer_stats", "lateness"):
                conn.execute(f"select * from pgtq.{view}")
    finally:
        drop_role(db, "asker")


def test_a_queue_that_nobody_reads(db):
    db.psql("select pgtq.create_queue('q')")
    assert check(db, "unread queues")[0] == "ok"
    db.psql("select pgtq.insert_event('q', 't', 'd')")
    status, seen, _ = check(db, "unread queues")
    assert status == "warn" and "q (" in seen
    db.psql("select pgtq.register_consumer('q', 'c')")
    assert check(db, "unread queues")[0] == "ok"


def test_a_consumer_that_holds_back_rotation(db):
    db.psql("select pgtq.create_queue('q'); select pgtq.register_consumer('q', 'sleepy');"
            "select pgtq.set_queue_config('q', 'rotation_period', '0 s');"
            "select pgtq.set_queue_config('q', 'ticker_idle_period', '0 s')")
    tick(db)
    status, seen, hint = check(db, "consumers")
    assert status == "warn" and "sleepy of queue q since " in seen and "unregister_consumer" in hint
    db.psql("select pgtq.unregister_consumer('q', 'sleepy')")
    assert check(db, "consumers")[0] == "ok"


def test_who_blocks_rotation(db):
    db.psql("select pgtq.create_queue('q'); select pgtq.set_queue_config('q', 'rotation_period', '0 s')")
    with db.connect(autocommit=False) as conn:
        conn.execute("select pgtq.insert_event('q', 'in the way', '')")
        eventually(lambda: rotate(db, 1) or db.value("select queue_ntables from pgtq.queue") > 3)
        found = eventually(lambda: [f for f in [check(db, "rotation")] if f[0] == "warn"])[0]
        assert f"process {conn.info.backend_pid} " in found[1] and "'in the way'" in found[1]
        db.psql("create role curious login; grant pgtq_reader to curious")
        with db.connect(user="curious") as reader:
            seen = reader.execute("select seen from pgtq.health() where name = 'rotation'").fetchone()[0]
        drop_role(db, "curious")
        assert f"process {conn.info.backend_pid} " in seen and "'in the way'" not in seen
        conn.rollback()
    assert check(db, "rotation")[0] == "ok"


@pytest.mark.parametrize("trouble, fix, says", [
    ("alter role poor nologin", "alter role poor login", "poor may not log in"),
    ("revoke connect on database {} from public", "grant connect on database {} to public", "poor may not connect"),
])
def test_a_role_that_cannot_run_its_timers(db, trouble, fix, says):
    if "nologin" in trouble and db.server.workspace.major >= 17:
        pytest.skip("from 17 on its timers run")
    db.psql("create role poor login; grant pgtq_writer to poor")
    try:
        schedule(db, "select 1", user="poor", delay="1 hour")
        assert check(db, "roles")[0] == "ok"
        db.psql(trouble.format(db.name))
        status, seen, _ = check(db, "roles")
        assert status == "error" and says in seen
        db.psql(fix.format(db.name))
        assert check(db, "roles")[0] == "ok"
    finally:
        drop_role(db, "poor")
    assert "poor does not exist" in check(db, "roles")[1]


def test_timers_that_nobody_runs(db):
    timer = schedule(db, "select 1", delay="-2 minutes")
    tick(db)
    status, seen, hint = check(db, "overdue timers")
    assert status == "warn" and "postgres: 1 since" in seen and "run_due" in hint
    assert "run_due" in why(db, timer)
    with db.connect() as conn:
        conn.execute("call pgtq.run_due()")
    assert check(db, "overdue timers")[0] == "ok"
    assert "fired at" in why(db, timer) and "after that time" in why(db, timer)


def test_nobody_ticks(db):
    db.psql("select pgtq.create_queue('q'); select pgtq.set_queue_config('q', 'ticker_idle_period', '0 s')")
    db.psql("update pgtq.tick_1_0 set tick_time = tick_time - interval '1 hour'")
    status, seen, hint = check(db, "ticks")
    assert status == "error" and "q" in seen and "ticker_loop" in hint
    db.psql("select pgtq.set_queue_config('q', 'ticker_paused', 'true')")
    assert check(db, "ticks")[:2] == ("ok", "all queues that have a ticker are ticked; paused: q")


def test_a_prepared_transaction_blocks_rotation(db):
    db.psql("select pgtq.create_queue('q'); select pgtq.set_queue_config('q', 'rotation_period', '0 s')")
    db.psql("begin; select pgtq.insert_event('q', 't', ''); prepare transaction 'in the way'")
    try:
        eventually(lambda: rotate(db, 1) or db.value("select queue_ntables from pgtq.queue") > 3)
        status, seen, hint = check(db, "rotation")
        assert status == "warn" and "prepared transaction has a lock" in seen and "ROLLBACK PREPARED" in hint
    finally:
        db.psql("rollback prepared 'in the way'")


def test_a_clock_that_was_set_back(db):
    db.psql("select pgtq.create_queue('q'); select pgtq.set_queue_config('q', 'ticker_idle_period', '0 s')")
    db.psql("update pgtq.tick_1_0 set tick_time = tick_time + interval '1 hour'")
    status, seen, _ = check(db, "clock")
    assert status == "warn" and "in the future: q by" in seen


def test_a_clock_that_is_moved_for_all(db):
    db.psql(f"alter database {db.name} set pgtq.clock_offset = '1 day'")
    status, seen, _ = check(db, "clock")
    assert status == "warn" and db.name in seen
    db.psql(f"alter database {db.name} reset pgtq.clock_offset")
    assert check(db, "clock")[0] == "ok"


def test_a_ring_with_autovacuum(db):
    db.psql("select pgtq.create_queue('q'); alter table pgtq.event_1_0 set (autovacuum_enabled = on)")
    status, seen, _ = check(db, "settings")
    assert status == "warn" and "a table of a ring" in seen


def test_settings_that_hurt(workspace, build):
    with workspace.server(fsync="off", full_page_writes="off", autovacuum="off") as server:
        seen = check(server.create_db(build=build), "settings")[1]
        for word in ("fsync", "full_page_writes", "autovacuum is off"):
            assert word in seen


def test_an_old_prepared_transaction(workspace, build):
    """Nobody can wait for an hour: so the check's hour is made none."""
    with workspace.server(max_prepared_transactions=2) as server:
        db = server.create_db(build=build)
        definition = db.value("select pg_get_functiondef('pgtq._check_snapshots'::regproc)")
        assert definition.count("'1 hour'") == 2
        db.psql(definition.replace("'1 hour'", "'0 hour'"))
        db.psql("begin; create table t (); prepare transaction 'forgotten'")
        assert "'forgotten'" in check(db, "old snapshots")[1]
        db.psql("rollback prepared 'forgotten'")
        with db.connect(autocommit=False) as conn:
            conn.execute("create table t ()")
            status, seen, _ = check(db, "old snapshots")
            assert status == "warn" and f"process {conn.info.backend_pid} " in seen


def test_a_paused_copy(server, build):
    original = server.create_db(build=build)
    original.psql("select pgtq.create_queue('q')")
    copy = original.name + "_copy"
    server._create(copy, original.name)
    db = type(original)(server, copy, build)
    try:
        db.psql(f"alter database {copy} set pgtq.on_clone = 'pause'")
        status, seen, hint = check(db, "server")
        assert status == "warn" and "copy" in seen and "adopt" in hint
        db.psql("select pgtq.adopt()")
        assert check(db, "server")[0] == "ok"
    finally:
        db.drop()
        original.drop()


def test_sessions_are_exhausted(ticking):
    timers = [schedule(ticking, "select pg_sleep(60)") for _ in range(2)]
    third = schedule(ticking, "select 1")
    found = eventually(lambda: [f for f in [check(ticking, "sessions")] if f[0] == "warn"], 30)[0]
    assert "postgres" in found[1] and "max_sessions_per_role" in found[2]
    assert "runs now, in process" in why(ticking, timers[0])
    assert "health() says of sessions" in why(ticking, third)
    for timer in timers:
        ticking.value("select pgtq.cancel_running(%s)", timer)
    assert outcome(ticking, third)[0] == "fired"
    assert check(ticking, "sessions")[0] == "ok"


def test_the_ticker_is_behind(ticking):
    """Somebody locks the table that timers wait in, for long."""
    schedule(ticking, "select 1", delay="500 ms")
    with ticking.connect(autocommit=False) as conn:
        conn.execute("lock table pgtq.delay_0")
        found = eventually(lambda: [f for f in [check(ticking, "ticker")] if f[0] == "warn"], 40)[0]
        assert "is behind: something was due at" in found[1]
        assert "locked" in check(ticking, "roles")[2]       # health() itself does not wait for ever
        conn.rollback()
    eventually(lambda: check(ticking, "ticker")[0] == "ok", 70)


# -- why()

def test_why_it_waits(db):
    timer = schedule(db, "select 1", delay="1 hour")
    assert "waits: it is due at" in why(db, timer)


def test_why_it_is_unknown(db):
    assert "not known to you" in why(db, 4711)


def test_why_tells_nobody_elses(db):
    timer = schedule(db, "select 'secret'", delay="1 hour")
    db.psql("create role nosy login; grant pgtq_writer to nosy")
    try:
        assert "not known to you" in why(db, timer, user="nosy")
    finally:
        drop_role(db, "nosy")


def test_why_it_has_not_left(db):
    timer = schedule(db, "select 1", delay="-1 second")
    assert "has not left the delay store" in why(db, timer) and "pgtq.ticker()" in why(db, timer)


def test_why_a_cancel_is_open(db):
    timer = schedule(db, "select 1", delay="-1 second")
    with db.connect(autocommit=False) as conn:
        conn.execute("select pgtq.cancel(%s)", (timer,))
        assert f"Process {conn.info.backend_pid} is cancelling" in why(db, timer)
        conn.commit()
    assert "was cancelled at" in why(db, timer)


def test_why_it_failed_and_is_tried_again(db):
    timer = schedule(db, "select 1/0", max_attempts=2, backoff="1 hour")
    tick(db)
    with db.connect() as conn:
        conn.execute("call pgtq.run_due()")
    text = why(db, timer)
    assert "waits: it is due at" in text and "1 attempts before failed, the last with: division by zero (22012)" in text
    assert db.rows("select attempt, state, sqlstate from pgtq.attempts where id = %s", timer) == [(1, "retried", "22012")]


def test_why_it_failed(db):
    timer = schedule(db, "select 1/0")
    tick(db)
    with db.connect() as conn:
        conn.execute("call pgtq.run_due()")
    assert "division by zero (22012), in attempt 1. pgtq.replay(" in why(db, timer)


def test_why_it_was_skipped(db):
    timer = schedule(db, "select 1", delay="-1 hour", expires_in="1 minute")
    tick(db)
    with db.connect() as conn:
        conn.execute("call pgtq.run_due()")
    text = why(db, timer)
    assert "was skipped" in text and "expired" in text


def test_why_it_ran_before_its_time(db):
    timer = schedule(db, "select 1", delay="1 hour")
    assert db.value("select pgtq.fire(%s)", timer) == "fired"
    assert "before its time, by fire()" in why(db, timer)


def test_why_an_event(db):
    db.psql("select pgtq.create_queue('q')")
    timer = db.value("select pgtq.insert_event_in('q', '-1 s', 't', 'd')")
    tick(db)
    assert "is an event" in why(db, timer) and "entered its queue" in why(db, timer)


# -- the views

def test_lateness(ticking):
    schedule(ticking, "select 1")
    rows = eventually(lambda: [r for r in ticking.rows("select below_ms, moves, percentile from pgtq.lateness") if r[1] > 0])
    assert ticking.value("select max(percentile) from pgtq.lateness") == 100
    assert all(below > 0 for below, _, _ in rows)


def test_stats(db):
    db.psql("select pgtq.create_queue('q'); select pgtq.register_consumer('q', 'c'); select pgtq.insert_event('q', 't', 'd')")
    assert db.rows("select queue_name, ev_new, consumers, bytes > 0 from pgtq.queue_stats") == [("q", 1, 1, True)]
    tick(db)
    db.psql("select pgtq.force_tick('q')")
    tick(db)
    assert db.rows("select queue_name, consumer_name, pending_events > 0 from pgtq.consumer_stats") == [("q", "c", True)]


def test_upcoming(db):
    for delay in ("3 hours", "1 hour", "2 hours"):
        schedule(db, f"select '{delay}'", delay=delay)
    assert [a for a, in db.rows("select action from pgtq.upcoming")] == [
        "select '1 hour'", "select '2 hours'", "select '3 hours'"]
