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


def test_two_at_once_take_turns(app):
    """The second does not wait, and runs nothing twice."""
    schedule(app, "alice", "insert into app.log (what) values ('x')")
    tick(app)
    with app.connect(user="alice", autocommit=False) as conn:
        conn.execute("insert into pgtq.request (op, count) values ('take_due', 1)")
        assert run(app, "alice") == 0
    assert run(app, "alice") == 1


def test_refused_beside_the_executor(ticking):
    ticking.rows("select pgtq.schedule_in('1 day', 'select 1')")
    eventually(lambda: ticking.value("select count(*) from pg_stat_activity where backend_type = 'pgtq executor'"
                                     " and datname = current_database()") == 1)
    with pytest.raises(Exception, match="the executor runs"):
        ticking.rows("call pgtq.run_due()")
