"""The executor: actions run as who scheduled them, once, and their outcome is known."""

import pytest
from server import eventually
from timers import GRANTS, logged, outcome, role, schedule


@pytest.fixture
def db(ticking):
    ticking.psql(GRANTS)
    return ticking


def test_action_fires_as_its_role(db):
    with role(db, "alice"):
        timer = schedule(db, "insert into app.log (what) values ('x')", "alice", "0.3 s")
        assert outcome(db, timer)[:2] == ("fired", None)
        assert db.rows("select what, who, session from app.log") == [("x", "alice", "alice")]


def test_never_early(db):
    timer = schedule(db, "insert into app.log (what) values (now()::text)", delay="0.5 s")
    outcome(db, timer)
    assert db.value("select fire_at <= (select what::timestamptz from app.log) and fire_at <= fired_at"
                    "  from pgtq.timers where id = %s", timer)


def test_failure_is_recorded(db):
    timer = schedule(db, "select 1/0")
    assert outcome(db, timer) == ("failed", "22012", "division by zero", 1)


def test_failure_rolls_back_alone(db):
    timers = [schedule(db, f"insert into app.log (what) values ('{n}'); select 1/({n} % 2)")
              for n in range(6)]
    assert [outcome(db, t)[0] for t in timers] == ["failed", "fired"] * 3
    assert sorted(logged(db)) == ["1", "3", "5"]


def test_many(db):
    db.rows("select pgtq.schedule_many(array_agg(now()), array_agg(format("
            "'insert into app.log (what) values (%L)', n))) from generate_series(1, 2000) n")
    eventually(lambda: db.value("select count(*) from app.log") == 2000)
    assert db.value("select count(distinct what) from app.log") == 2000
    eventually(lambda: db.value("select count(*) from pgtq.timers where state = 'fired'") == 2000)


def test_a_word_for_a_time_means_each_run(db):
    """A text that is run again and again keeps its plan, but 'now' is not the time of the first run."""
    for _ in range(4):
        outcome(db, schedule(db, "insert into app.log (what) values ('now'::timestamptz::text)"))
    assert len(set(logged(db))) == 4
