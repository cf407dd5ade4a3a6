"""Actions that are slow, fail, wait, kill their session; and roles in numbers."""

import time

import pytest
from server import eventually
from timers import GRANTS, logged, outcome, schedule

LOG = "insert into app.log (what) values ('{}')"


@pytest.fixture
def db(ticking):
    ticking.psql(GRANTS)
    return ticking


def running(db):
    return db.rows("select id, pid from pgtq.running")


def position(db):
    return db.value("select sub_last_tick from pgtq.subscription s join pgtq.queue q on q.queue_executor = s.sub_id")


def test_timeout(db):
    timer = schedule(db, "select pg_sleep(60)", timeout_ms=200)
    state = outcome(db, timer)
    assert state[:2] == ("failed", "57014")
    assert "timeout" in state[2]


def test_timeout_covers_locks(db):
    with db.connect(autocommit=False) as conn:
        conn.execute("lock app.log")
        timer = schedule(db, LOG.format("x"), timeout_ms=300)
        assert outcome(db, timer)[:2] == ("failed", "57014")


REARMED = """
    create table app.rearmed (n int);
    create function app.rearm() returns trigger as $$ begin
        if new.n < 3 then
            set constraints all deferred;
            insert into app.rearmed values (new.n + 1);
        else
            {};
        end if;
        return null;
    end $$ language plpgsql;
    create constraint trigger rearm after insert on app.rearmed deferrable initially deferred
        for each row execute function app.rearm();"""


@pytest.mark.parametrize("then, sqlstate", [("perform pg_sleep(3600)", "57014"), ("perform 1 / 0", "22012")])
@pytest.mark.parametrize("before", ["", "select 1"])
def test_a_trigger_that_waits_for_the_commit(db, then, sqlstate, before):
    """Whatever is deferred until the commit counts for the action: its time, and its errors."""
    if before:      # before there is a deferrable trigger a group has many actions
        with db.connect() as conn:
            actions = [REARMED.format(then) + "insert into app.rearmed values (1)", LOG.format("neighbour")]
            timer, other = conn.execute("select pgtq.schedule_many(array_fill(now(), array[2]), %s, timeout_ms => 2000)",
                                        (actions,)).fetchone()[0]
    else:
        db.psql(REARMED.format(then))
        timer = schedule(db, "insert into app.rearmed values (1)", timeout_ms=500)
        other = schedule(db, LOG.format("neighbour"))
    assert outcome(db, timer)[:2] == ("failed", sqlstate)
    assert outcome(db, other)[0] == "fired"
    assert logged(db) == ["neighbour"]
    eventually(lambda: not running(db))


def test_cancel_is_not_escaped(db):
    """An action that catches the cancel goes with its session, and does not come back for ever."""
    timer = schedule(db, """do $$ begin
        loop begin perform pg_sleep(100); exception when query_canceled then null; end; end loop; end $$""",
                     timeout_ms=100)
    eventually(lambda: running(db))
    assert eventually(lambda: outcome_now(db, timer), 40)[0] == "failed"


def outcome_now(db, timer):
    rows = db.rows("select state, sqlstate from pgtq.timers where id = %s and state not in ('pending', 'due')", timer)
    return rows and rows[0]


def test_cancel_running(db):
    timer = schedule(db, "select pg_sleep(60)", max_attempts=3)
    eventually(lambda: running(db))
    assert db.value("select pgtq.cancel_running(%s)", timer)
    assert outcome(db, timer)[:2] == ("failed", "57014")
    assert not db.value("select pgtq.cancel_running(%s)", timer)


def test_cancel_backend(db):
    timer = schedule(db, "select pg_sleep(60)")
    (row,) = eventually(lambda: running(db))
    db.rows("select pg_cancel_backend(%s)", row[1])
    assert outcome(db, timer)[:2] == ("failed", "57014")


def test_terminate_backend_loses_nothing(db):
    timers = [schedule(db, f"insert into app.log (what) values ('{n}'); select pg_sleep(0.5)") for n in range(3)]
    (row, *_) = eventually(lambda: running(db))
    db.rows("select pg_terminate_backend(%s)", row[1])
    assert [outcome(db, t)[0] for t in timers] == ["fired"] * 3
    assert sorted(logged(db)) == ["0", "1", "2"]


@pytest.mark.parametrize("poison", [
    "set exit_on_error = on; select 1/0", "select pg_terminate_backend(pg_backend_pid())"])
def test_poison(db, poison):
    """Tried three times, then failed; the neighbours run once."""
    actions = [LOG.format(1), LOG.format(2), poison, LOG.format(3), LOG.format(4)]
    with db.connect() as conn:
        ids = conn.execute("select pgtq.schedule_many(array_fill(now(), array[5]), %s)", (actions,)).fetchone()[0]
    assert [outcome(db, t)[0] for t in ids] == ["fired", "fired", "failed", "fired", "fired"]
    assert sorted(logged(db)) == ["1", "2", "3", "4"]
    eventually(lambda: db.value("select count(*) from pgtq.done where dn_started") >= 2)


def test_slow_action_holds_back_nobody(db):
    slow = schedule(db, "select pg_sleep(3)")
    eventually(lambda: running(db))
    fast = [schedule(db, LOG.format(n)) for n in range(5)]
    assert [outcome(db, t)[0] for t in fast] == ["fired"] * 5
    assert [row[0] for row in running(db)] == [slow]
    # and its batch is finished without it
    eventually(lambda: db.value("select count(*) from pgtq.carried") == 1)
    before = position(db)
    outcome(db, schedule(db, "select 1"))
    eventually(lambda: position(db) > before)
    assert outcome(db, slow)[0] == "fired"
    eventually(lambda: db.value("select count(*) from pgtq.carried") == 0)


def test_slow_one_in_a_group(db):
    """What ran before it in the group is committed without it."""
    actions = [LOG.format(1), LOG.format(2) + "; select pg_sleep(2)", LOG.format(3)]
    with db.connect() as conn:
        conn.execute("select pgtq.schedule_many(array_fill(now(), array[3]), %s)", (actions,))
    eventually(lambda: sorted(logged(db)) == ["1", "3"], 1.8)
    eventually(lambda: sorted(logged(db)) == ["1", "2", "3"])


def test_carried_survives_a_restart_of_the_executor(db):
    slow = schedule(db, LOG.format("slow") + "; select pg_sleep(3)")
    eventually(lambda: db.value("select count(*) from pgtq.carried") == 1)
    assert db.rows("select id, state from pgtq.timers") == [(slow, "due")]
    db.rows("select pg_terminate_backend(pid) from pg_stat_activity"
            " where backend_type = 'pgtq executor' and datname = current_database()")
    assert outcome(db, slow)[0] == "fired"
    assert logged(db) == ["slow"]


def test_retries(db):
    timer = schedule(db, "insert into app.log (what) values ('x'); select 1/0", max_attempts=3, backoff="0.1 s")
    assert outcome(db, timer) == ("failed", "22012", "division by zero", 3)
    assert db.rows("select hi_status, hi_attempt from pgtq.history order by hi_attempt") == [(5, 1), (5, 2), (2, 3)]
    assert logged(db) == []


def test_retry_succeeds(db):
    db.psql("create sequence app.tries")
    timer = schedule(db, "select 1 / (nextval('app.tries') - 1)", max_attempts=3, backoff="0.1 s")
    assert outcome(db, timer)[0::3] == ("fired", 2)


def test_expired(db):
    db.psql("select pgtq.create_queue('slow'); select pgtq.attach_executor('slow');"
            "select pgtq.set_queue_config('slow', 'ticker_paused', 'true')")
    timer = schedule(db, LOG.format("x"), queue="slow", expires_in="0.2 s")
    time.sleep(0.5)
    db.psql("select pgtq.set_queue_config('slow', 'ticker_paused', 'false')")
    assert outcome(db, timer)[0] == "expired"
    assert logged(db) == []


def test_without_history(db):
    """That something is done is known without it."""
    name = db.name
    db.psql(f"alter database {name} set pgtq.history = 'off'")
    schedule(db, LOG.format("x"))
    eventually(lambda: logged(db) == ["x"])
    db.rows("select pg_terminate_backend(pid) from pg_stat_activity"
            " where backend_type = 'pgtq executor' and datname = current_database()")
    schedule(db, LOG.format("y"))
    eventually(lambda: logged(db) == ["x", "y"])
    assert db.value("select count(*) from pgtq.history") == 0
    eventually(lambda: not db.rows("select from pgtq.timers"))


def test_deadlock_with_others(db):
    """Two sessions of the executor that wait for each other: both run in the end."""
    db.psql("create table app.d (a int primary key, n int); insert into app.d values (1, 0), (2, 0)")
    actions = [f"update app.d set n = n + 1 where a = {n % 2 + 1}" for n in range(400)]
    with db.connect() as conn:
        ids = conn.execute("select pgtq.schedule_many(array_fill(now(), array[400]), %s)", (actions,)).fetchone()[0]
    eventually(lambda: db.rows("select a, n from app.d order by a") == [(1, 200), (2, 200)])
    assert outcome(db, ids[-1])[0] == "fired"


def test_fair_between_roles(db):
    """One with much to do does not starve another's one."""
    db.psql("create role busy login; create role rare login; grant pgtq_writer to busy, rare")
    with db.connect(user="busy") as conn:
        conn.execute("select pgtq.schedule_many(array_agg(now()), array_agg('select pg_sleep(0.01)'::text))"
                     " from generate_series(1, 2000)")
    timer = schedule(db, LOG.format("rare"), "rare")
    assert outcome(db, timer)[0] == "fired"
    assert db.value("select count(*) from pgtq.timers where scheduled_by = 'busy' and state = 'fired'") < 1900
    db.psql("select pgtq.drop_queue('timers', true)")
    eventually(lambda: not running(db))
    db.psql("drop owned by busy, rare; drop role busy, rare")


def test_many_roles(db):
    """Each with one timer at the same instant; there are four sessions."""
    count = 60
    db.psql(f"""do $$ begin for n in 1..{count} loop
                execute format('create role r%s login; grant pgtq_writer to r%s', n, n);
            end loop; end $$""")
    with db.connect() as conn:
        for n in range(1, count + 1):
            conn.execute(f"set session authorization r{n}")
            conn.execute("select pgtq.schedule_in('1 s', %s)", (LOG.format(n),))
    eventually(lambda: db.value("select count(distinct who) from app.log") == count)
    most = db.value("select count(*) from pg_stat_activity where backend_type = 'pgtq session'"
                    " and datname = current_database()")
    assert most <= 4
    db.psql(f"""do $$ begin for n in 1..{count} loop
                execute format('drop owned by r%s; drop role r%s', n, n);
            end loop; end $$""")


def test_only_the_executor_consumes_as_itself(db):
    schedule(db, "select 1")
    for call in ("pgtq.next_batch('timers', 'pgtq.executor')",
                 "pgtq.next_batch_custom('timers', 'pgtq.executor', null, null, null)",
                 "pgtq.wait_batch('timers', 'pgtq.executor', '0')",
                 "pgtq.unregister_consumer('timers', 'pgtq.executor')",
                 "pgtq.register_consumer_at('timers', 'pgtq.executor', 1)"):
        with pytest.raises(Exception, match="reserved"):
            db.rows(f"select {call}")


def test_worker_slots_run_out(workspace):
    """Then timers wait, health() says so, and they run when there is room."""
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=4) as server:
        db = server.create_db()
        db.psql(GRANTS)
        eventually(lambda: db.value("select running from pgtq.ticker_stats"))
        timer = schedule(db, LOG.format("x"))
        eventually(lambda: db.rows("select from pgtq.health() where name = 'executor' and status = 'warn'"))
        assert "timers have to wait" in server.log()
        server.configure(max_worker_processes=10)
        server.restart()
        assert outcome(db, timer)[0] == "fired"
        assert db.rows("select from pgtq.health() where name = 'executor' and status = 'ok'")
