"""A hosted server: an ordinary role owns the database, and nothing is preloaded but pg_cron."""

import time

import pytest
from server import eventually
from timers import GRANTS


@pytest.fixture(scope="module")
def hosted(workspace):
    """A server with pg_cron in database app, which belongs to an ordinary role, owner."""
    with workspace.server(shared_preload_libraries="pg_cron") as server:
        server.configure(**{"cron.host": server.path, "cron.database_name": "app"})
        server.restart()
        server.psql("postgres", "create role owner login createrole; create role alice login; create role bob login")
        server.psql("postgres", "create database app owner owner")
        server.psql("app", "create extension pg_cron; grant usage on schema cron to public")
        server.psql("app", file=workspace.main.pl_script, user="owner", args=["--single-transaction"])
        server.psql("app", GRANTS + "grant pgtq_writer to alice, bob; grant pgtq_admin to owner")
        yield server


def connect(server, user, **kwargs):
    return server.connect("app", user=user, **kwargs)


def rows(server, user, query, *parameters):
    with connect(server, user) as conn:
        cursor = conn.execute(query, parameters or None)
        return cursor.fetchall() if cursor.description else []


def schedule(server, user, action, delay="0"):
    return rows(server, user, "select pgtq.schedule_in(%s::interval, %s)", delay, action)[0][0]


def logged(server):
    return rows(server, "postgres", "select what, who from app.log order by id")


@pytest.fixture(autouse=True)
def empty_log(hosted):
    rows(hosted, "postgres", "truncate app.log")


def test_a_loop_ticks_and_runs(hosted):
    schedule(hosted, "owner", "insert into app.log (what) values ('x')", "300 milliseconds")
    schedule(hosted, "alice", "insert into app.log (what) values ('y')")
    rows(hosted, "owner", "call pgtq.ticker_loop('1 second', '50 milliseconds')")
    assert logged(hosted) == [("x", "owner")]
    rows(hosted, "alice", "call pgtq.ticker_loop('0', tasks => '{run}')")
    assert logged(hosted) == [("x", "owner"), ("y", "alice")]


def test_two_loops_at_once(hosted):
    ids = [schedule(hosted, "owner", "insert into app.log (what) values (pgtq.current_timer())", f"{n * 10} milliseconds") for n in range(50)]
    with connect(hosted, "owner") as one, connect(hosted, "owner") as two:
        for conn in (one, two):
            conn.pgconn.send_query(b"call pgtq.ticker_loop('2 seconds', '20 milliseconds')")
        for conn in (one, two):
            while result := conn.pgconn.get_result():
                assert not result.error_message, result.error_message
    assert sorted(int(what) for what, who in logged(hosted)) == ids


def test_lateness_and_snapshot(hosted):
    """Half the timers are less than half a step late, also those of a role whose loop does not tick; no snapshot is older than a step."""
    step, count = 0.4, 40
    with connect(hosted, "owner") as conn, connect(hosted, "alice") as other:
        conn.pgconn.send_query(b"call pgtq.ticker_loop('5 minutes', '400 milliseconds')")
        other.pgconn.send_query(b"call pgtq.ticker_loop('5 minutes', '400 milliseconds', '{run}')")
        oldest, held, since = 0.0, None, time.monotonic()
        for n in range(count):
            for user in ("owner", "alice"):
                schedule(hosted, user, "insert into app.log (what) values (clock_timestamp() - (select fire_at from pgtq.timers"
                                       " where id = pgtq.current_timer()))", f"{n * 37 % 400} milliseconds")
            rows(hosted, "postgres", "create table t (); drop table t")        # so that there are new transactions
            xmin = rows(hosted, "postgres", "select backend_xmin from pg_stat_activity where pid = %s", conn.info.backend_pid)[0][0]
            if xmin != held:
                held, since = xmin, time.monotonic()
            if held is not None:
                oldest = max(oldest, time.monotonic() - since)
            time.sleep(0.09)
        eventually(lambda: len(logged(hosted)) == 2 * count, 60)
        for loop in (conn, other):
            loop.cancel()
            while loop.pgconn.get_result():
                pass
    for user in ("owner", "alice"):
        late = [row[0] for row in rows(hosted, "postgres", "select extract(epoch from what::interval)::float8 from app.log where who = %s order by 1", user)]
        print(user, "late, p50, in steps:", late[count // 2] / step, "oldest snapshot, in steps:", oldest / step)
        assert len(late) == count and late[0] >= 0
        assert late[count // 2] <= step / 2
    assert oldest <= step


def test_timeouts(hosted):
    slow = rows(hosted, "alice", "select pgtq.schedule_in('0', $$insert into app.log (what) values ('slow'); select pg_sleep(0.3)$$,"
                                 " timeout_ms => 100)")[0][0]
    locked = rows(hosted, "alice", "select pgtq.schedule_in('0', 'insert into app.log (what) values (1)', timeout_ms => 100)")[0][0]
    rows(hosted, "owner", "call pgtq.ticker_loop('0', tasks => '{tick}')")
    with connect(hosted, "postgres", autocommit=False) as conn:
        conn.execute("lock table app.log in share mode")
        rows(hosted, "alice", "set statement_timeout = '20s'; ")
        rows(hosted, "alice", "call pgtq.run_due()")
    assert rows(hosted, "alice", "select state, sqlstate from pgtq.timers where id in (%s, %s)", slow, locked) == 2 * [("failed", "57014")]
    assert logged(hosted) == []


def test_for_another_role_by_choice(hosted):
    schedule(hosted, "bob", "insert into app.log (what) values ('x')")
    rows(hosted, "owner", "call pgtq.ticker_loop('0', tasks => '{tick}')")
    with pytest.raises(Exception, match="permission denied to run the timers"):
        rows(hosted, "alice", "call pgtq.run_due(as_role => 'bob')")
    rows(hosted, "postgres", "grant bob to alice")
    assert rows(hosted, "alice", "call pgtq.run_due(as_role => 'bob')") == [(1,)]
    assert logged(hosted) == [("x", "bob")]
    rows(hosted, "postgres", "revoke bob from alice")


def test_the_loop_rotates(hosted):
    rows(hosted, "owner", "select pgtq.create_queue('turning'), pgtq.set_queue_config('turning', 'rotation_period', '0')")
    rows(hosted, "owner", "call pgtq.ticker_loop('100 milliseconds')")
    assert rows(hosted, "owner", "select queue_cur_table from pgtq.queue where queue_name = 'turning'") == [(1,)]
    rows(hosted, "owner", "select pgtq.drop_queue('turning')")


def test_only_an_administrator_ticks(hosted):
    with pytest.raises(Exception, match="permission denied"):
        rows(hosted, "alice", "call pgtq.ticker_loop('0', tasks => '{tick}')")
    with pytest.raises(Exception, match="unknown task"):
        rows(hosted, "alice", "call pgtq.ticker_loop('0', tasks => '{dance}')")


def test_cron(hosted):
    """Real pg_cron: seconds from 1.5 on, minutes before."""
    version = rows(hosted, "postgres", "select extversion from pg_extension where extname = 'pg_cron'")[0][0]
    step = "10 seconds" if tuple(map(int, version.split("-")[0].split("."))) >= (1, 5) else "* * * * *"
    made = rows(hosted, "owner", "select pgtq.start()")
    assert made[0] == ('-- job "pgtq app owner" was made',)
    rows(hosted, "alice", "select pgtq.start()")
    rows(hosted, "alice", "select pgtq.start()")
    assert rows(hosted, "postgres", "select username, schedule from cron.job order by 1") == [("alice", step), ("owner", step)]
    rows(hosted, "postgres", "insert into cron.job_run_details (jobid, runid, username, command, status, end_time) values"
                             " (1, -1, 'owner', 'call pgtq.ticker_loop(old)', 'succeeded', now() - interval '2 days')")
    schedule(hosted, "owner", "insert into app.log (what) values ('o')", "1 second")
    schedule(hosted, "alice", "insert into app.log (what) values ('a')", "1 second")
    eventually(lambda: sorted(logged(hosted)) == [("a", "alice"), ("o", "owner")], 100)
    eventually(lambda: rows(hosted, "postgres", "select from cron.job_run_details where runid = -1") == [], 30)
    assert rows(hosted, "owner", "select pgtq.stop()") == [('-- job "pgtq app owner" was removed',)]
    rows(hosted, "alice", "select pgtq.stop()")
    assert rows(hosted, "postgres", "select from cron.job") == []
    rows(hosted, "postgres", "select pg_terminate_backend(pid) from pg_stat_activity where query like 'call pgtq.ticker_loop%%'")


def test_cron_in_another_database(hosted, workspace):
    hosted.psql("postgres", "create database other owner owner")
    hosted.psql("other", file=workspace.main.pl_script, user="owner", args=["--single-transaction"])
    with hosted.connect("other", user="owner") as conn:
        lines = [row[0] for row in conn.execute("select pgtq.start()").fetchall()]
        assert len(lines) == 2 and "schedule_in_database" in lines[0]
        stop = conn.execute("select pgtq.stop()").fetchone()[0]
    for line in lines + [stop]:
        hosted.psql("app", line)
    hosted.psql("app", "select cron.unschedule('pgtq other log')")
    assert rows(hosted, "postgres", "select from cron.job") == []
