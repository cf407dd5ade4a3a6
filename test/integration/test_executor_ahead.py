"""What is fetched ahead of its time, so as to begin on time: never early, for nobody."""

import pytest
from server import eventually
from timers import GRANTS, logged, outcome, schedule

LOG = "insert into app.log (what) values ('{}')"


@pytest.fixture(scope="module")
def far(workspace):
    """Some seconds ahead, so that a test can look at what has been fetched."""
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=20,
                          **{"pgtq.fetch_ahead": 4000}) as server:
        yield server


@pytest.fixture
def db(far):
    db = far.create_db()
    db.psql(GRANTS)
    outcome(db, schedule(db, "select 1"))       # executor and session are there
    yield db
    db.drop()


def fetched(db, timer):
    return db.rows("select from pgtq.timers where id = %s and state = 'due' and fire_at > clock_timestamp()", timer)


def test_waits_for_its_time(db):
    timer = schedule(db, "insert into app.log (what) values (now()::text)", delay="4.3 s")
    eventually(lambda: fetched(db, timer))
    assert db.value("select pgtq.cancel(%s)", timer) is False
    assert db.value("select pgtq.reschedule(%s, now() + interval '1 h')", timer) is False
    assert outcome(db, timer)[0] == "fired"
    assert db.value("select fire_at <= (select what::timestamptz from app.log) and fire_at <= fired_at"
                    "  from pgtq.timers where id = %s", timer)


def test_what_is_due_before_goes_first(db):
    """It comes when the session waits already."""
    late = schedule(db, LOG.format("late"), delay="4.3 s")
    eventually(lambda: fetched(db, late))
    db.rows("select pgtq.schedule_many(array[now() + interval '0.02 s', now(), now() + interval '0.01 s'], %s)",
            [LOG.format(n) for n in (3, 1, 2)])
    outcome(db, late)
    assert logged(db) == ["1", "2", "3", "late"]


def test_never_early(db):
    """At any time of a second and a half, one in three a group of its own."""
    ids = db.value("""
        select pgtq.schedule_many(array_agg(now() + n * interval '3 ms'),
               array_agg('insert into app.log (what) values (now()::text || '' '' || pgtq.current_timer())'
                         || case when n % 3 = 0 then '; select pg_sleep(0.001)' else '' end))
          from generate_series(1, 500) n""")
    eventually(lambda: len(logged(db)) == len(ids))
    assert db.rows("select t.id from pgtq.timers t, app.log"
                   " where t.id = split_part(what, ' ', 3)::bigint"
                   "   and (t.fire_at > (split_part(what, ' ', 1) || ' ' || split_part(what, ' ', 2))::timestamptz"
                   "        or t.fire_at > t.fired_at)") == []


def test_events_are_not_early(db):
    """They are for consumers, who do not wait; also beside actions, in the same queue."""
    db.psql("select pgtq.register_consumer('timers', 'c')")
    with db.connect() as conn:
        conn.execute("""
            select pgtq.insert_event_at('timers', now() + n * interval '10 ms', 'e', n::text)
              from generate_series(1, 100) n""")
        conn.execute("""
            select pgtq.schedule_many(array_agg(now() + n * interval '5 ms'), array_agg('select 1'::text))
              from generate_series(1, 200) n""")
        seen = 0
        while seen < 100:
            batch = conn.execute("select pgtq.wait_batch('timers', 'c', '10 s')").fetchone()[0]
            assert batch is not None
            events = conn.execute("""
                select ev_time <= tick_time from pgtq.get_batch_events(%s),
                       (select max(tick_time) as tick_time from pgtq.tick) t where ev_type = 'e'""",
                                  (batch,)).fetchall()
            assert set(events) <= {(True,)}
            assert conn.execute("select coalesce(bool_and(ev_time <= clock_timestamp()), true)"
                                "  from pgtq.get_batch_events(%s) where ev_type = 'e'", (batch,)).fetchone()[0]
            seen += len(events)
            conn.execute("select pgtq.finish_batch(%s)", (batch,))
        assert seen == 100
    eventually(lambda: db.value("select count(*) from pgtq.timers where action = 'select 1' and state = 'fired'") == 201)


def test_committed_late(db):
    """A timer that commits when the mover has been beyond its due time already."""
    with db.connect(autocommit=False) as slow:
        timer = slow.execute("select pgtq.schedule_in('0.7 s', %s)", (LOG.format("slow"),)).fetchone()[0]
        event = slow.execute("select pgtq.insert_event_in('timers', '0.7 s', 'e', 'slow')").fetchone()[0]
        outcome(db, schedule(db, LOG.format("other"), delay="0.1 s"))
        slow.commit()
    assert outcome(db, timer)[0] == "fired"
    assert db.value("select fire_at <= fired_at from pgtq.timers where id = %s", timer)
    eventually(lambda: db.rows("select from pgtq.timers where id = %s and state = 'fired'", event))


def test_time_set_by_a_test(db):
    """Who moves with pgtq.clock_offset wants it to run, not to wait."""
    timer = schedule(db, LOG.format("x"), delay="1 day")
    with db.connect() as conn:
        conn.execute("set pgtq.clock_offset = '25 hours'")
        conn.execute("select pgtq.ticker()")
        conn.execute("reset pgtq.clock_offset")
        conn.execute("select pgtq.force_tick('timers')")
        conn.execute("select pgtq.ticker()")
    assert outcome(db, timer)[0] == "fired"


def test_is_not_planned_ahead(db):
    """While the session waits it reads what an action says, and evaluates nothing of it: no function, no 'now'."""
    db.psql("create function app.moment() returns text immutable language plpgsql as"
            " 'begin return clock_timestamp()::text; end'")
    for moment in ("app.moment()", "'now'::timestamptz::text", "'now'"):
        timer = schedule(db, f"insert into app.log (what) values ({moment}::text::timestamptz::text)", delay="4.3 s")
        assert outcome(db, timer)[0] == "fired"
        assert db.value("select fire_at <= (select what::timestamptz from app.log order by id desc limit 1)"
                        "  from pgtq.timers where id = %s", timer)


def test_what_cannot_be_read_ahead(db):
    """It keeps nobody waiting who is due before, and runs when it can be."""
    db.psql("create table app.locked (what text)")
    with db.connect(autocommit=False) as other:
        other.execute("lock table app.locked")
        late = schedule(db, "insert into app.locked values ('late')", delay="4.2 s")
        eventually(lambda: fetched(db, late))
        soon = schedule(db, LOG.format("soon"), delay="0.1 s")
        assert outcome(db, soon)[0] == "fired"
        assert db.value("select (select fired_at from pgtq.timers where id = %s)"
                        "     < (select fire_at from pgtq.timers where id = %s)", soon, late)
        missing = schedule(db, "insert into app.not_yet values (1)", delay="4.1 s")
        eventually(lambda: fetched(db, missing))
        db.psql("create table app.not_yet (id integer)")
        other.rollback()
    assert outcome(db, late)[0] == "fired"
    assert outcome(db, missing)[0] == "fired"
