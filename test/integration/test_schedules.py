"""Schedules with workers: the chain of runs neither breaks nor doubles, whatever dies; roles, dumps, copies."""

import datetime as dt
import random

import pytest
from server import eventually
from test_executor_crash import kill_something
from timers import GRANTS, role

RUNS = 25
SCHEDULES = 12
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def app(ticking):
    ticking.psql(GRANTS)
    return ticking


def every(db, name, interval, action, user="postgres", **options):
    names = "".join(f", {option} => %s" for option in options)
    with db.connect(user=user) as conn:
        return conn.execute(f"select pgtq.schedule_every(%s, %s::interval, %s{names})",
                            (name, interval, action, *options.values())).fetchone()[0]


def state(db, name):
    return db.value("select state from pgtq.schedules where name = %s", name)


def test_runs_again_and_again(app):
    with role(app, f"{app.name}_bob") as bob:
        every(app, "tick", "200 ms", "insert into app.log (what) values (pgtq.current_timer())", user=bob, overlap="allow")
        eventually(lambda: app.value("select count(*) from app.log where who = session and who = %s", bob) >= 5)
        assert app.value("select count(*) = count(distinct what) from app.log")
        with app.connect(user=bob) as conn:
            assert conn.execute("select pgtq.unschedule('tick')").fetchone() == (True,)


def test_no_two_at_once(app):
    """Slower than its interval: skipped runs are not made, and of those that are no two overlap."""
    every(app, "slow", "100 ms", "insert into app.log (what) values ('begin'); select pg_sleep(0.35);"
                                 " insert into app.log (what) values ('end')")
    eventually(lambda: app.value("select count(*) from app.log") >= 6)
    spans = app.rows("select hi_started, hi_finished, hi_due from pgtq.history where hi_schedule is not null order by hi_started")
    assert all(end <= start for (_, end, _), (start, _, _) in zip(spans, spans[1:]))
    base = spans[0][2]
    assert all((due - base) % dt.timedelta(milliseconds=100) == dt.timedelta(0) for _, _, due in spans)
    app.rows("select pgtq.unschedule('slow')")


@pytest.mark.parametrize("overlap", ["skip", "queue", "allow"])
def test_neither_breaks_nor_doubles(workspace, overlap):
    """Each of many schedules has as many runs as it is to have, while all sorts of processes are killed."""
    random.seed(RUNS)
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=20) as server:
        db = server.create_db()
        db.psql("create table ran (name text, timer bigint)")
        for n in range(SCHEDULES):
            action = f"insert into ran values ('s{n}', pgtq.current_timer()); select pg_sleep(random() * 0.01)"
            if n % 3 == 0:      # the first try of every run fails
                action += "; select 1 / (select count(*) from pgtq.attempts where id = pgtq.current_timer())"
            every(db, f"s{n}", f"{100 + 10 * n} ms", action, overlap=overlap, catch_up="all", max_runs=RUNS,
                  max_attempts=50, backoff="1 ms")
        for _ in range(8):
            before = ran(db)
            eventually(lambda: ran(db) > before or finished(db), 60, 0.05)
            kill_something(db)
        eventually(lambda: finished(db), 120, 0.2)
        assert db.rows("select name, count(*), count(distinct timer) from ran group by 1 order by 1") == \
            sorted((f"s{n}", RUNS, RUNS) for n in range(SCHEDULES))
        assert db.value("select count(*) from pgtq.delay") == 0


def ran(db):
    try:
        return db.value("select count(*) from ran")
    except Exception:
        return -1


def finished(db):
    try:
        return db.value("select bool_and(state = 'finished') and (select count(*) from ran) = %s from pgtq.schedules",
                        RUNS * SCHEDULES)
    except Exception:
        return False


def test_role_is_gone(app):
    """A schedule whose owner was dropped runs nothing, and says so."""
    with role(app, f"{app.name}_carl") as carl:
        every(app, "orphan", "200 ms", "select 1", user=carl)
        eventually(lambda: app.value("select last_run is not null from pgtq.schedules where name = 'orphan'"))
        app.rows("select pgtq.pause('orphan', %s)", carl)
        eventually(lambda: app.value("select next_timer is not null from pgtq.schedules where name = 'orphan'"))
    app.psql("update pgtq.schedule set sc_paused = false; update pgtq.delay set dl_due = now()")
    app.rows("select pgtq._queues_changed()")
    app.psql("select pgtq.schedule_in('0', 'select 1')")
    eventually(lambda: state(app, "orphan") == "broken")
    assert "does not exist any more" in app.value("select last_error from pgtq.schedules where name = 'orphan'")
    assert app.rows("select status, seen like '%%orphan%%' from pgtq.health() where name = 'schedules'") == [("error", True)]


def test_failures_in_a_row(app):
    every(app, "bad", "100 ms", "select 1/0")
    eventually(lambda: app.value("select failures_in_a_row from pgtq.schedules") >= 3)
    assert app.rows("select status, seen like '%%bad%%' from pgtq.health() where name = 'schedules'") == [("warn", True)]
    app.rows("select pgtq.unschedule('bad')")


def test_action_ends_or_changes_its_own_schedule(app):
    every(app, "once", "100 ms", "insert into app.log (what) values ('once'); select pgtq.unschedule('once')")
    eventually(lambda: app.value("select count(*) from pgtq.schedules") == 0)
    every(app, "self", "100 ms", "insert into app.log (what) values ('self');"
                                 " select pgtq.schedule_every('self', '1 hour', 'select 1')")
    eventually(lambda: app.value("select schedule = 'every 01:00:00' from pgtq.schedules where name = 'self'"))
    eventually(lambda: app.value("select count(*) from pgtq.delay") == 1)
    assert app.value("select next_run - now() > '59 minutes' from pgtq.schedules where name = 'self'")
    assert sorted(app.rows("select what, count(*) from app.log group by 1")) == [("once", 1), ("self", 1)]


def test_dump_and_restore(db, workspace):
    """Definitions and what is planned, of one that is paused too."""
    every(db, "daily", "1 day", "select 1", jitter="1 hour")
    every(db, "paused", "1 hour", "select 2")
    db.rows("select pgtq.pause('paused')")
    file = workspace.path / f"dump_{db.name}"
    workspace.run("pg_dump", "-d", db.conninfo(), "-F", "custom", "-f", file)
    with db.server.connect() as conn:
        conn.execute(f"create database {db.name}_restored template template0")
    copy = type(db)(db.server, f"{db.name}_restored", db.build)
    try:
        workspace.run("pg_restore", "--exit-on-error", "-d", copy.conninfo(), file)
        columns = "id, name, owner, schedule, state, next_run, next_timer, created_at"
        before = db.rows(f"select {columns} from pgtq.schedules order by id")
        assert copy.rows(f"select {columns} from pgtq.schedules order by id") == before
        copy.rows("select pgtq.adopt()")
        assert copy.rows(f"select {columns} from pgtq.schedules order by id") == before
        assert copy.value("select pgtq.resume('paused')")
        assert copy.value("select next_run > now() from pgtq.schedules where name = 'paused'")
        assert every(copy, "new", "1 hour", "select 3") > max(row[0] for row in before)
    finally:
        copy.drop()


def test_a_million_runs_do_not_drift(server):
    """Each is planned from the one before; the last is where one multiplication says."""
    db = server.create_db()
    try:
        assert db.value("""
            with recursive r (n, at) as (
                select 0, '2020-01-01 00:00:00.1+00'::timestamptz
                union all
                select n + 1, (pgtq._next_every('0.7 s', '2020-01-01 00:00:00.1+00', 'UTC', at)).at from r where n < 1000000)
            select max(at) = '2020-01-01 00:00:00.1+00'::timestamptz + 1000000 * interval '0.7 s' and count(distinct at) = 1000001 from r""")
        assert db.value("""
            with recursive r (n, at) as (
                select 0, '2020-01-31 12:00+00'::timestamptz
                union all
                select n + 1, (pgtq._next_every('1 month', '2020-01-31 12:00+00', 'Europe/Paris', at)).at from r where n < 1000)
            select bool_and(at = ('2020-01-31 13:00'::timestamp + n * interval '1 month') at time zone 'Europe/Paris') from r""")
        assert db.value("""
            with recursive r (n, at) as (
                select 0, '2020-01-01 00:00+00'::timestamptz
                union all
                select n + 1, (pgtq._next_cron(pgtq._parse_cron('*/15 * * * *'), 'Europe/Paris', at)).at from r where n < 20000)
            select bool_and(at = '2020-01-01 00:00+00'::timestamptz + n * interval '15 min') from r""")
    finally:
        db.drop()
