"""Timers without a background worker: run_due(), on both builds; dead letters."""

import pytest
from server import eventually
from timers import GRANTS


@pytest.fixture
def app(db):
    db.psql(GRANTS)
    for name in ("alice", "bob"):
        db.psql(f"create role {name} login; grant pgtq_writer to {name}")
    yield db
    db.psql("drop owned by alice, bob; drop role alice, bob")


def schedule(db, user, action, **options):
    names = "".join(f", {name} => %s" for name in options)
    with db.connect(user=user) as conn:
        return conn.execute(f"select pgtq.schedule_at(now(), %s{names})", (action, *options.values())).fetchone()[0]


def tick(db):
    db.rows("select pgtq.ticker()")
    db.rows("select pgtq.force_tick('timers')")
    db.rows("select pgtq.ticker()")


def run(db, user):
    with db.connect(user=user) as conn:
        return conn.execute("call pgtq.run_due()").fetchone()[0]


def test_each_role_runs_its_own(app):
    a = schedule(app, "alice", "insert into app.log (what) select 'a' || pgtq.current_timer()")
    schedule(app, "bob", "insert into app.log (what) values ('b')")
    schedule(app, "bob", "select 1/0")
    tick(app)
    assert run(app, "alice") == 1
    assert run(app, "alice") == 0
    assert app.rows("select what, who from app.log") == [(f"a{a}", "alice")]
    assert run(app, "bob") == 2
    assert app.rows("select what, who from app.log order by 1") == [(f"a{a}", "alice"), ("b", "bob")]
    assert app.rows("select state, sqlstate from pgtq.timers order by id") == \
        [("fired", None), ("fired", None), ("failed", "22012")]
    assert app.value("select count(*) from pgtq.subscription s join pgtq.queue q on q.queue_executor = s.sub_id"
                     " where s.sub_last_tick = (select max(tick_id) from pgtq.tick)") == 1


def test_what_was_fetched_ahead_of_time_waits(app):
    """An executor that is not there any more may have had it moved early."""
    schedule(app, "alice", "insert into app.log (what) values ('x')")
    tick(app)
    table = app.value("select queue_data_pfx || '_' || queue_cur_table from pgtq.queue where queue_name = 'timers'")
    app.psql(f"update {table} set ev_time = now() + interval '1 hour'")
    assert run(app, "alice") == 0
    app.psql(f"update {table} set ev_time = now()")
    assert run(app, "alice") == 1


def test_an_action_is_no_way_to_another_role(app):
    schedule(app, "alice", "reset role; set role alice")
    schedule(app, "alice", "set role bob")
    schedule(app, "alice", "set session authorization postgres")
    tick(app)
    run(app, "alice")
    assert app.rows("select state, sqlstate from pgtq.timers order by id") == \
        [("fired", None), ("failed", "42501"), ("failed", "42501")]


def test_expired_and_retried(app):
    schedule(app, "alice", "insert into app.log (what) values ('x')", expires_in="1 microsecond")
    schedule(app, "alice", "select 1/0", max_attempts=2, backoff="0")
    tick(app)
    run(app, "alice")
    tick(app)
    run(app, "alice")
    assert app.rows("select state, attempts from pgtq.timers order by id") == [("expired", 1), ("failed", 2)]
    assert app.rows("select what from app.log") == []


def test_dead_letters(app):
    failed = schedule(app, "alice", "select 1 / (select count(*) from app.log)")
    schedule(app, "bob", "select 1/0")
    tick(app)
    run(app, "alice")
    run(app, "bob")
    with app.connect(user="alice") as conn:
        assert conn.execute("select id, sqlstate from pgtq.dead_letters").fetchall() == [(failed, "22012")]
        conn.execute("insert into app.log (what) values ('x')")
        again = conn.execute("select pgtq.replay(%s)", (failed,)).fetchone()[0]
        assert again > failed
        assert conn.execute("select pgtq.replay(%s)", (failed,)).fetchone()[0] is None
        assert conn.execute("select count(*) from pgtq.dead_letters").fetchone() == (0,)
        assert conn.execute("select pgtq.purge()").fetchone() == (0,)
    tick(app)
    run(app, "alice")
    assert app.value("select state from pgtq.timers where id = %s", again) == "fired"
    assert app.value("select count(*) from pgtq.dead_letters") == 1
    assert app.value("select pgtq.purge()") == 1
    assert app.value("select count(*) from pgtq.dead_letters") == 0


def test_replay_is_as_patient(app):
    """It remembers how often and how soon to try again, also if the old one was given up early."""
    failed = schedule(app, "alice", "select 1/0", max_attempts=2, backoff="0.1 s", timeout_ms=5000)
    for _ in range(2):
        eventually(lambda: app.rows("select from pgtq.delay where dl_due <= now()"))
        tick(app)
        run(app, "alice")
    assert app.rows("select id, attempts from pgtq.dead_letters") == [(failed, 2)]
    with app.connect(user="alice") as conn:
        conn.execute("select pgtq.replay(%s)", (failed,))
    assert app.rows("select ev_attempts, ev_backoff::text, ev_timeout, ev_retry from pgtq.delay") == \
        [(2, "00:00:00.1", 5000, None)]


def test_done_without_history(app):
    """That a timer waits is shown, and that it does no more."""
    app.psql(f"alter database {app.name} set pgtq.history = 'off'")
    first = schedule(app, "alice", "insert into app.log (what) values ('x')")
    schedule(app, "bob", "select 1")
    tick(app)
    assert app.rows("select state from pgtq.timers") == [("due",), ("due",)]
    run(app, "alice")
    assert first not in [row[0] for row in app.rows("select id from pgtq.timers")]
    run(app, "bob")
    assert app.rows("select state from pgtq.timers") == []


def test_two_at_once_take_turns(app):
    """The second does not wait, and runs nothing twice."""
    schedule(app, "alice", "insert into app.log (what) values ('x')")
    tick(app)
    with app.connect(user="alice", autocommit=False) as conn:
        conn.execute("insert into pgtq.request (op, count) values ('take_due', 1)")
        assert run(app, "alice") == 0
    assert run(app, "alice") == 1


def test_two_at_once_that_see_different_rows_of_the_role(app):
    """Two first calls of a role, at once: it is in pgtq.role twice, and each session may see another row first."""
    schedule(app, "bob", "select 1")        # makes the queue
    with app.connect(user="alice", autocommit=False) as one:
        one.execute("select pgtq.schedule_at(now(), $$insert into app.log (what) values ('1')$$)")
        schedule(app, "alice", "insert into app.log (what) values ('2')")
        tick(app)
        with app.connect(user="alice", autocommit=False) as runner:
            runner.execute("insert into pgtq.request (op, count) values ('take_due', 1)")
            one.commit()
            assert app.value("select count(*) from pgtq.role where ro_name = 'alice'") == 2
            assert run(app, "alice") == 0
    tick(app)
    assert run(app, "alice") == 2
    assert app.rows("select what from app.log order by 1") == [("1",), ("2",)]


def test_nothing_to_do_costs_no_transaction_id(app):
    schedule(app, "alice", "select 1")
    tick(app)
    run(app, "alice")
    schedule(app, "bob", "select 1")        # so that the executor's position stays behind
    tick(app)
    with app.connect(user="alice") as conn:
        before = app.value("select pg_snapshot_xmax(pg_current_snapshot())::text")
        conn.execute("call pgtq.run_due()")
        assert app.value("select pg_snapshot_xmax(pg_current_snapshot())::text") == before


def position(db):
    return db.rows("select sub_last_tick = (select max(tick_id) from pgtq.tick), (select count(*) from pgtq.carried)"
                   " from pgtq.subscription s join pgtq.queue q on q.queue_executor = s.sub_id")


def test_a_role_that_runs_nothing_holds_up_nothing(app):
    """Its timers are carried, so that tables can be truncated; they run when it comes, once, unless they have expired."""
    schedule(app, "alice", "insert into app.log (what) values ('a')")
    with app.connect(user="bob") as conn:
        conn.execute("select pgtq.schedule_at(now(), 'insert into app.log (what) values (' || n || ')') from generate_series(1, 60) n")
    schedule(app, "bob", "insert into app.log (what) values ('expired')", expires_in="1 microsecond")
    tick(app)
    app.rows("select pgtq.maint_rotate_tables_step2()")
    assert position(app) == [(False, 0)]                # not yet
    with app.connect() as conn:
        conn.execute("set pgtq.clock_offset = '2 minutes'")
        conn.execute("select pgtq.maint_rotate_tables_step2()")
    assert position(app) == [(True, 62)]
    app.rows("update pgtq.queue set queue_rotation_period = '0'")
    for _ in range(4):
        app.rows("select pgtq.maint_rotate_tables_step1('timers')")
        app.rows("select pgtq.force_tick('timers')")
        app.rows("select pgtq.ticker()")
        app.rows("select pgtq.maint_rotate_tables_step2()")
        assert position(app)[0][1] == 62
    assert app.value("select count(*) from pgtq.event_template") == 0
    assert run(app, "alice") == 1
    assert run(app, "bob") == 60
    assert run(app, "bob") == 0
    assert app.rows("select count(distinct what), count(*) from app.log") == [(61, 61)]
    assert app.rows("select count(*) from pgtq.timers where state = 'expired'") == [(1,)]
    assert position(app)[0][1] == 0


def test_timers_of_a_role_that_is_gone(app):
    app.psql("create role gone login; grant pgtq_writer to gone")
    timer = schedule(app, "gone", "insert into app.log (what) values ('x')")
    tick(app)
    app.psql("drop role gone")
    with app.connect() as conn:
        conn.execute("set pgtq.clock_offset = '2 minutes'")
        conn.execute("select pgtq.maint_rotate_tables_step2()")
    assert app.rows("select state, sqlstate, error from pgtq.timers where id = %s", timer) == \
        [("failed", "28000", "the role that scheduled it does not exist any more")]
    assert position(app) == [(True, 0)]


def test_a_forged_end_ends_nothing_of_others(app):
    timer = schedule(app, "alice", "insert into app.log (what) values ('x')")
    tick(app)
    ids = app.rows("select ev_id, (select queue_executor from pgtq.queue where queue_name = 'timers') from pgtq.event_template")
    with app.connect(user="bob") as conn:
        conn.execute("insert into pgtq.request (op, sub, many_event, many_at, many_sqlstate, many_error, role)"
                     " select 'end_due', %s, array[%s]::bigint[], array[now()], array[null], array[null], oid from pg_roles where rolname = 'alice'",
                     (ids[0][1], ids[0][0]))
        assert conn.execute("select count(*) from pgtq.timers").fetchone() == (0,)
        assert conn.execute("insert into pgtq.request (op, timer, role) select 'cancel', %s, oid from pg_roles where rolname = 'alice'"
                            " returning done", (timer,)).fetchone() == (False,)
    assert run(app, "alice") == 1
    assert len(app.rows("select from app.log")) == 1


def test_refused_beside_the_executor(ticking):
    ticking.rows("select pgtq.schedule_in('1 day', 'select 1')")
    eventually(lambda: ticking.value("select count(*) from pg_stat_activity where backend_type = 'pgtq executor'"
                                     " and datname = current_database()") == 1)
    with pytest.raises(Exception, match="the executor runs"):
        ticking.rows("call pgtq.run_due()")
