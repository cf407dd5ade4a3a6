"""What bounds sessions and groups: settings, and memory."""

import resource
import shutil
import subprocess

import pytest
from server import eventually
from timers import GRANTS, logged, outcome, schedule

LOG = "insert into app.log (what) values ('{}')"


@pytest.fixture(scope="module")
def tight(workspace):
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=20,
                          **{"pgtq.action_timeout": 400,
                             "pgtq.commit_interval": 1000, "pgtq.max_sessions_per_role": 1}) as server:
        yield server


@pytest.fixture
def db(tight):
    db = tight.create_db()
    db.psql(GRANTS)
    yield db
    db.drop()


def sessions(db):
    return [row[0] for row in db.rows("select pid from pg_stat_activity where backend_type = 'pgtq session'"
                                      " and datname = current_database()")]


def test_idle_session_ends(db):
    outcome(db, schedule(db, "select 1"))
    (pid,) = sessions(db)
    db.psql("alter system set pgtq.session_idle_timeout = '300 ms'")
    try:
        db.rows("select pg_reload_conf()")
        eventually(lambda: pid not in sessions(db))
    finally:
        db.psql("alter system reset pgtq.session_idle_timeout")
        db.rows("select pg_reload_conf()")
    assert outcome(db, schedule(db, "select 1"))[0] == "fired"      # and another comes


def test_default_timeout(db):
    """Of those that were scheduled without one, and of no others."""
    assert outcome(db, schedule(db, "select pg_sleep(30)"))[:2] == ("failed", "57014")
    assert outcome(db, schedule(db, "select pg_sleep(0.8)", timeout_ms=20000))[0] == "fired"


def test_cancel_backend_spares_the_session(db):
    timer = schedule(db, "select pg_sleep(60)", timeout_ms=100000)
    (pid,) = eventually(lambda: [r[0] for r in db.rows("select pid from pgtq.running where id = %s", timer)])
    db.rows("select pg_cancel_backend(%s)", pid)
    assert outcome(db, timer)[:2] == ("failed", "57014")
    after = schedule(db, LOG.format("x"))
    outcome(db, after)
    assert db.value("select hi_pid from pgtq.history where hi_timer = %s", after) == pid


def test_group_has_at_most_60(db):
    """More subtransactions make every other session slow."""
    ids = db.value("select pgtq.schedule_many(array_fill(now(), array[500]), array_fill(%s::text, array[500]))",
                   LOG.format("x"))
    outcome(db, ids[-1])
    eventually(lambda: len(logged(db)) == 500)
    groups = [row[0] for row in db.rows("select count(*) from pgtq.history_0 where hi_timer = any(%s)"
                                        " group by xmin::text", ids)]
    assert max(groups) <= 60
    assert max(groups) > 10


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs prlimit")
def test_out_of_memory(db):
    """An action that gets none fails; its neighbours and its session do not."""
    outcome(db, schedule(db, "select 1"))
    (pid,) = sessions(db)
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        size = int(f.read().split()[0]) * resource.getpagesize()
    subprocess.run(["prlimit", f"--pid={pid}", f"--as={size + (100 << 20)}"], check=True)
    hungry = "select length(string_agg(repeat('x', 1000), '')) from generate_series(1, 500000)"
    ids = db.value("select pgtq.schedule_many(array_fill(now(), array[5]), %s, timeout_ms => 60000)",
                   [LOG.format(1), LOG.format(2), hungry, LOG.format(3), LOG.format(4)])
    assert [outcome(db, t)[:2] for t in ids] == [("fired", None), ("fired", None), ("failed", "53200"),
                                                 ("fired", None), ("fired", None)]
    assert sorted(logged(db)) == ["1", "2", "3", "4"]
    assert db.value("select count(distinct hi_pid) from pgtq.history where hi_timer = any(%s)", ids) == 1
    assert sessions(db) == [pid]
