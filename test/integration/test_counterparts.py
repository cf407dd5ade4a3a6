"""What replaces each column of pg_task's table: docs/jobs.md has the list, and every line of it a test here."""

import re

import pytest
from jobs import ended, is_running, state, submit
from server import ROOT, eventually
from test_schedules import every
from timers import GRANTS, role


def columns():
    """The names in the first column of the table."""
    text = (ROOT / "docs/jobs.md").read_text().split("| pg_task's column |")[1]
    return re.findall(r"^\| `(\w+)` \|", text.split("\n\n")[0], re.M)


@pytest.mark.parametrize("column", columns())
def test_pg_task(ticking, column):
    ticking.psql(GRANTS)
    try:
        globals()[f"of_{column}"](ticking)
    finally:
        ticking.rows("select pgtq.unschedule(name) from pgtq.schedules")
        ticking.rows("select pgtq.cancel_job(id), pgtq.cancel_running(id) from pgtq.jobs where finished_at is null")
        eventually(lambda: not ticking.rows("select from pgtq.running"))


def test_all_are_there():
    """pg_task's table has 28 columns."""
    assert len(columns()) == 28


def job(db, column, job):
    return db.value(f"select {column} from pgtq.jobs where id = %s", job)


def output(db, sql, **options):
    return ended(db, submit(db, sql, capture="text", **options))[3]


def of_id(db):
    done = submit(db, "select 1")
    assert ended(db, done)[0] == "done" and db.rows("select id from pgtq.jobs") == [(done,)]


def of_parent(db):
    parent = submit(db, "select pgtq.submit_job('select 1')")
    ended(db, parent)
    assert eventually(lambda: db.rows("select parent from pgtq.jobs where id <> %s", parent)) == [(parent,)]
    assert job(db, "parent", submit(db, "select 1", parent=7)) == 7


def of_plan(db):
    at = db.value("select now() + interval '1 s'")
    planned = submit(db, "select 1", at=at)
    assert state(db, planned) == "planned" and ended(db, planned)[0] == "done"
    assert job(db, "fire_at", planned) == at and job(db, "started_at >= fire_at", planned)


def of_start(db):
    done = submit(db, "insert into app.log (what) values ('')")
    ended(db, done)
    assert job(db, "started_at <= (select at from app.log)", done)


def of_stop(db):
    done = submit(db, "insert into app.log (what) values ('')")
    assert job(db, "finished_at", submit(db, "select 1", at=db.value("select now() + interval '1 hour'"))) is None
    ended(db, done)
    assert job(db, "finished_at >= (select at from app.log)", done)


def of_active(db):
    assert ended(db, submit(db, "select 1", at=db.value("select now() - interval '1 hour'"), expires_in="1 s"))[0] == "expired"
    assert ended(db, submit(db, "select 1", at=db.value("select now() - interval '1 hour'")))[0] == "done"


def pids(db, n, **options):
    """How many of n jobs each session has run."""
    for done in [submit(db, "select 1", job_group="p", group_limit=1, **options) for _ in range(n)]:
        assert ended(db, done)[0] == "done"
    return [row[0] for row in db.rows("select count(*) from pgtq.jobs where job_group = 'p' group by pid order by min(id)")]


def of_live(db):
    assert pids(db, 3, session_life="1 hour") == [3]


def of_count(db):
    assert pids(db, 3, session_life="1 hour", session_count=2) == [2, 1]


def of_repeat(db):
    every(db, "again", "200 ms", "insert into app.log (what) values ('again')", job=True, max_runs=3)
    eventually(lambda: db.value("select count(*) from pgtq.jobs where schedule = 'again' and state = 'done'") == 3)
    assert db.value("select count(*) from app.log") == 3


def of_drift(db):
    """From the end of a run, or from when it was planned."""
    for drift in ("end", "planned"):
        every(db, drift, "300 ms", "select pg_sleep(0.1)", job=True, max_runs=3, drift=drift)
        eventually(lambda drift=drift: db.value("select count(*) from pgtq.jobs where schedule = %s and state = 'done'", drift) == 3)
    gaps = ("select {} from (select fire_at, lag(finished_at) over w as before, lag(fire_at) over w as planned from pgtq.jobs where schedule = %s"
            " window w as (order by fire_at)) x where before is not null")
    assert db.value(gaps.format("bool_and(fire_at - before >= '299 ms')"), "end")
    assert db.value(gaps.format("bool_and(extract(epoch from fire_at - planned) %% 0.3 = 0)"), "planned")


def of_timeout(db):
    slow = submit(db, "select pg_sleep(600)", timeout_ms=200)
    assert ended(db, slow)[:2] == ("failed", "57014")
    assert job(db, "timeout_ms", slow) == 200


def of_hash(db):
    """Not needed: groups of the same name of two roles are two."""
    with role(db, f"{db.name}_bob") as bob:
        is_running(db, submit(db, "select pg_sleep(600)", job_group="g", group_limit=1))
        assert ended(db, submit(db, "select 1", bob, job_group="g", group_limit=1))[0] == "done"


def of_max(db):
    """As many at once, here in all; what is negative there is a pause."""
    for done in [submit(db, "select pg_sleep(0.2)", job_group="m", group_limit=1) for _ in range(3)] + \
                [submit(db, "select 1", job_group="n", group_pause="0.3 s") for _ in range(3)]:
        assert ended(db, done)[0] == "done"
    for group, gap in (("m", "0 s"), ("n", "0.3 s")):
        assert db.value("select min(started_at - before) >= %s::interval from (select started_at, lag(finished_at) over (order by started_at) as before"
                        " from pgtq.jobs where job_group = %s) x", gap, group)


def of_pid(db):
    done = submit(db, "select pg_backend_pid()", capture="text")
    ended(db, done)
    assert job(db, "pid::text = output", done)


def of_state(db):
    plan = submit(db, "select 1", at=db.value("select now() + interval '1 hour'"))
    work, done = submit(db, "select pg_sleep(600)"), submit(db, "select 1")
    is_running(db, work)
    ended(db, done)
    assert [job(db, "task_state", j) for j in (plan, work, done)] == ["PLAN", "WORK", "DONE"]
    with db.connect(autocommit=False) as conn:      # a moment that nobody can wait for
        conn.execute("update pgtq.job set jo_state = 1 where jo_id = %s", (plan,))
        assert conn.execute("select state, task_state from pgtq.jobs where id = %s", (plan,)).fetchone() == ("taken", "TAKE")
        conn.rollback()
    db.rows("select pgtq.cancel_job(%s)", plan)
    assert job(db, "task_state", plan) == "STOP"


def of_delete(db):
    """pgtq.history = 'failures' forgets what was done, and 'off' all."""
    for history, kept in (("failures", ["failed"]), ("off", [])):
        db.psql(f"alter database {db.name} set pgtq.history = '{history}'")
        jobs = [submit(db, sql) for sql in ("select 1", "select 1/0")]
        eventually(lambda: not db.rows("select from pgtq.job"))
        assert [row[0] for row in db.rows("select state from pgtq.jobs where id = any (%s)", jobs)] == kept


def of_header(db):
    assert output(db, "select 1 as a, 2 as b") == "a\tb\n1\t2"
    assert output(db, "select 1 as a, 2 as b", header=False) == "1\t2"


def of_string(db):
    assert output(db, "select 1, 'x'", header=False, quote="'") == "1\t'x'"
    assert output(db, "select 1, 'x'", header=False, quote="'", quote_strings_only=False) == "'1'\t'x'"


def of_delimiter(db):
    assert output(db, "select 1, 2", header=False, delimiter=";") == "1;2"


def of_escape(db):
    assert output(db, "select 'a\"b\\c'", quote='"', escape="\\") == '"a\\"b\\\\c"'


def of_quote(db):
    assert output(db, "select 'a'", quote='"') == '"a"'


def of_null(db):
    assert output(db, "select null") == "\\N"
    assert output(db, "select null", null_string="nil") == "nil"


def of_data(db):
    assert job(db, "data", submit(db, "select 1", data="mine")) == "mine"


def of_error(db):
    assert ended(db, submit(db, "select 1/0"))[:3] == ("failed", "22012", "division by zero")


def of_group(db):
    assert job(db, "job_group", submit(db, "select 1", job_group="mine")) == "mine"


def of_input(db):
    assert job(db, "action", submit(db, "select 'the input'")) == "select 'the input'"


def of_output(db):
    assert output(db, "select 1; select 2") == "1\n2"
    assert ended(db, submit(db, "select 1"))[3] is None


def of_remote(db):
    done = submit(db, "select application_name from pg_stat_activity where pid = pg_backend_pid()", capture="text", remote=db.conninfo())
    assert ended(db, done)[3] == "pgtq remote job" and job(db, "remote", done) == db.conninfo()
