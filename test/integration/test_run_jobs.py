"""Jobs without a background worker: run_jobs(), on both builds."""

import pytest
from jobs import CAPTURED, state, submit
from timers import GRANTS, logged


@pytest.fixture
def app(db):
    db.psql(GRANTS)
    for name in ("alice", "bob"):
        db.psql(f"create role {name} login; grant pgtq_writer to {name}")
    yield db
    db.psql("drop owned by alice, bob; drop role alice, bob")


def run(db, user="alice", how_many=100):
    with db.connect(user=user) as conn:
        return conn.execute("call pgtq.run_jobs(%s)", (how_many,)).fetchone()[0]


def ended(db, job):
    return db.rows("select state, sqlstate, error, output from pgtq.jobs where id = %s", job)[0]


def at(db, interval):
    return db.value("select now() + %s::interval", interval)


def test_each_role_runs_its_own(app):
    a = submit(app, "insert into app.log (what) select 'a' || pgtq.current_timer()", "alice")
    b = submit(app, "insert into app.log (what) values ('b')", "bob")
    assert app.rows("select state, task_state, submitted_by from pgtq.jobs where id = %s", a) == [("planned", "PLAN", "alice")]
    assert run(app) == 1
    assert run(app) == 0
    assert app.rows("select what, who from app.log") == [(f"a{a}", "alice")]
    assert (state(app, a), state(app, b)) == ("done", "planned")


def test_each_statement_is_a_transaction(app):
    """Semicolons in literals, names, comments and bodies are none."""
    job = submit(app, """insert into app.log (what) values ('a;') /* ; /* ; */ */; -- ;
        do $x$ begin insert into app.log (what) values (';b'); end; $x$;
        insert into app.log (what) values (E'\\';c'), ($$;d$$); ;
        select 1/0; insert into app.log (what) values ('never')""", "alice")
    assert run(app) == 1
    assert ended(app, job)[:2] == ("failed", "22012")
    assert logged(app) == ["a;", ";b", "';c", ";d"]


@pytest.mark.parametrize("action", ["vacuum", "create database x", "begin; select 1; commit", "reindex table concurrently app.log"])
def test_what_cannot_run_in_a_procedure(app, action):
    app.psql("alter table app.log owner to alice; alter role alice createdb")
    job = submit(app, action, "alice")
    assert run(app) == 1
    result = ended(app, job)
    assert (result[0], result[1][:2] in ("25", "0A", "2D")) == ("failed", True), result
    assert "background workers" in result[2]


@pytest.mark.parametrize("options, action, output", CAPTURED)
def test_capture(app, options, action, output):
    job = submit(app, action, "alice", **{"capture": "text", **options})
    run(app)
    assert ended(app, job)[3] == output, ended(app, job)


def test_order_and_groups(app):
    ids = [submit(app, "select 1", "alice", priority=p, group_limit=1, job_group="g") for p in (0, 2, 1)]
    assert run(app, how_many=1) == 1
    assert [state(app, i) for i in ids] == ["planned", "done", "planned"]
    assert run(app) == 2
    assert app.value("select array_agg(id order by started_at) from pgtq.jobs") == [ids[1], ids[2], ids[0]]


def test_pause_and_time(app):
    first, second = [submit(app, "select 1", "alice", job_group="p", group_pause="1 hour") for _ in range(2)]
    later = submit(app, "select 1", "alice", at=at(app, "1 hour"))
    assert run(app) == 1
    assert [state(app, i) for i in (first, second, later)] == ["done", "planned", "planned"]


def test_expires_and_retries(app):
    late = submit(app, "select 1", "alice", at=at(app, "-1 minute"), expires_in="1 s")
    again = submit(app, "select 1/0", "alice", max_attempts=3, backoff="0")
    assert run(app) == 3
    assert ended(app, late)[0] == "expired"
    assert app.rows("select state, attempts from pgtq.jobs where id = %s", again) == [("failed", 3)]
    assert app.rows("select state from pgtq.attempts where id = %s order by attempt", again) == [("retried",), ("retried",), ("failed",)]


def test_cancel(app):
    job = submit(app, "select 1", "alice", at=at(app, "1 hour"))
    with app.connect(user="bob") as conn, pytest.raises(Exception, match="permission denied for job"):
        conn.execute("select pgtq.cancel_job(%s)", (job,))
    with app.connect(user="alice") as conn:
        assert conn.execute("select pgtq.cancel_job(%s), pgtq.cancel_job(%s), pgtq.cancel_job(0)", (job, job)).fetchone() == (True, False, False)
    assert app.rows("select state, task_state from pgtq.jobs where id = %s", job) == [("cancelled", "STOP")]


def test_timeout(app):
    job = submit(app, "select pg_sleep(0.2); insert into app.log (what) values ('never')", "alice", timeout_ms=100)
    run(app)
    assert ended(app, job)[:2] == ("failed", "57014")
    assert logged(app) == []


@pytest.mark.parametrize("on_crash, outcome", [("fail", "failed"), ("retry", "planned")])
def test_lost_session(app, on_crash, outcome):
    """What was running in a process that has gone is reported, or run again."""
    job = submit(app, "select pg_terminate_backend(pg_backend_pid())", "alice", on_crash=on_crash, max_attempts=2, backoff="1 hour")
    with pytest.raises(Exception):
        run(app)
    assert state(app, job) == "running"
    assert run(app) == 0
    assert state(app, job) == outcome
    assert app.rows("select sqlstate from pgtq.attempts where id = %s", job) == [("08006",)]


def test_lost_session_whose_number_is_anothers(app):
    """As after a restart of a container, where process ids are the same again."""
    job = submit(app, "select pg_terminate_backend(pg_backend_pid())", "alice")
    with pytest.raises(Exception):
        run(app)
    with app.connect() as other:
        app.rows("update pgtq.job set jo_pid = %s", other.info.backend_pid)
        assert run(app) == 0
    assert ended(app, job)[:2] == ("failed", "08006")


@pytest.mark.parametrize("options, sqlstate", [
    ({"job_group": ""}, "22023"), ({"job_group": "x" * 64}, "22023"), ({"job_group": None}, "22004"),
    ({"group_limit": 0}, "22023"), ({"group_pause": "-1 s"}, "22023"), ({"timeout_ms": -1}, "22023"),
    ({"expires_in": "0"}, "22023"), ({"max_attempts": 0}, "22023"), ({"backoff": "-1 s"}, "22023"),
    ({"on_crash": "x"}, "22023"), ({"capture": "xml"}, "22023"), ({"output_limit": 0}, "22023"),
    ({"delimiter": "ab"}, "22023"), ({"quote": "ab"}, "22023"), ({"escape": "ab"}, "22023"),
    ({"session_life": "-1 s"}, "22023"), ({"session_count": 0}, "22023"), ({"header": None}, "22004"),
    ({"at": "infinity"}, "22023"), ({"priority": None}, "22004")])
def test_bad_arguments(app, options, sqlstate):
    with app.connect(user="alice") as conn, pytest.raises(Exception) as failure:
        conn.execute("select pgtq.submit_job('select 1'" + "".join(f", {name} => %s" for name in options) + ")", tuple(options.values()))
    assert failure.value.sqlstate == sqlstate


def test_long_action(app):
    with app.connect(user="alice") as conn, pytest.raises(Exception, match="action is too long"):
        conn.execute("select pgtq.submit_job(repeat('x', 1048577))")


def test_only_for_the_sessions_own_role(app):
    app.psql("grant alice to bob")
    with app.connect(user="bob") as conn, pytest.raises(Exception, match="own role"):
        conn.execute("set role alice")
        conn.execute("call pgtq.run_jobs()")


def test_no_job_runs_jobs(app):
    job = submit(app, "call pgtq.run_jobs()", "alice")
    run(app)
    assert ended(app, job)[:2] == ("failed", "55000")


def test_loop_runs_jobs(app):
    job = submit(app, "insert into app.log (what) values ('x')", "alice")
    with app.connect(user="alice") as conn:
        conn.execute("call pgtq.ticker_loop(run_for => '0', tasks => '{run}')")
    assert (state(app, job), logged(app)) == ("done", ["x"])
