"""What is used up: disk, memory, locks, connections.  What needs it fails in words, and when there is room all goes on."""

import contextlib
import resource

import psycopg
import pytest
from server import eventually
from timers import GRANTS, logged, outcome, schedule

LOG = "insert into app.log (what) values ('{}')"


@contextlib.contextmanager
def limited(pids, what, limit):
    """The processes of a server, with a limit of the operating system, for a while."""
    before = {pid: resource.prlimit(pid, what) for pid in pids}
    for pid, (_, hard) in before.items():
        resource.prlimit(pid, what, (limit, hard))
    try:
        yield
    finally:
        for pid, old in before.items():
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(pid, what, old)


def own_server(workspace, **settings):
    return workspace.server(shared_preload_libraries="pgtq", **{"max_worker_processes": 20, **settings})


def test_disk_full(workspace):
    """A file may not grow: to the ticker that is a full disk.  What does not fit waits, is told of, and then runs once."""
    with own_server(workspace) as server:
        db = server.create_db()
        db.psql(GRANTS)
        outcome(db, schedule(db, "select 1"))
        with db.connect() as conn:      # more than may be in one file; a random text is not compressed
            conn.execute("""
                select pgtq.schedule_in('5 s', format('insert into app.log (what) values (%s) /* %s */', n,
                            (select string_agg(md5(random()::text), '') from generate_series(1, 25000 + n))))
                  from generate_series(1, 30) n""")
            ticker, = conn.execute("select ticker_pid from pgtq._ticker_state()").fetchone()
        with limited([ticker], resource.RLIMIT_FSIZE, 17 * 2**20):
            error = eventually(lambda: db.rows("select seen from pgtq.health() where name = 'errors' and status <> 'ok'"), 60)
            assert "File too large" in error[0][0] or "No space" in error[0][0]
            assert db.value("select count(*) from pgtq.timers where state = 'pending'") > 0
            schedule(db, "select 1")    # who schedules does not suffer
        eventually(lambda: len(logged(db)) >= 30, 90)
        assert sorted(map(int, logged(db))) == list(range(1, 31))


def test_out_of_memory(ticking):
    """The action fails, and the session lives."""
    ticking.psql(GRANTS)
    outcome(ticking, schedule(ticking, "select 1"))
    (pid,), = ticking.rows("select pid from pg_stat_activity where backend_type = 'pgtq session' and datname = current_database()")
    size = int(open(f"/proc/{pid}/statm").read().split()[0]) * resource.getpagesize()
    with limited([pid], resource.RLIMIT_AS, size + 50 * 2**20):
        assert outcome(ticking, schedule(ticking, "select repeat('x', 400000000)"))[:2] == ("failed", "53200")
        assert outcome(ticking, schedule(ticking, LOG.format("next")))[0] == "fired"
    assert ticking.value("select count(*) from pg_stat_activity where pid = %s", pid) == 1


def test_out_of_locks(workspace):
    with own_server(workspace, max_locks_per_transaction=10, max_connections=10, max_prepared_transactions=0) as server:
        db = server.create_db()
        db.psql(GRANTS)
        greedy = schedule(db, "do $$ begin for n in 1 .. 20000 loop execute format('create table app.t%s ()', n); end loop; end $$")

        def look():     # while it has them all there is none for us to look with
            try:
                return outcome(db, greedy)
            except psycopg.errors.OutOfMemory:
                return None

        assert eventually(look, 60)[:2] == ("failed", "53200")
        assert outcome(db, schedule(db, LOG.format("next")))[0] == "fired"
        # somebody else has them all
        with db.connect(autocommit=False) as conn:
            with pytest.raises(psycopg.errors.OutOfMemory):
                conn.execute("do $$ begin for n in 1 .. 20000 loop execute format('create table app.u%s ()', n); end loop; end $$")
            conn.rollback()
        db.psql("select pgtq.create_queue('q'); select pgtq.register_consumer('q', 'c'); select pgtq.insert_event('q', 't', 'd')")
        assert db.value("select pgtq.wait_batch('q', 'c', '10 s')")


def test_out_of_connections(workspace):
    """Workers are not connections: timers run while nobody can log in."""
    with own_server(workspace, max_connections=8, superuser_reserved_connections=1) as server:
        db = server.create_db()
        db.psql(GRANTS + "create role app login in role pgtq_writer")
        with contextlib.ExitStack() as stack:
            first = stack.enter_context(db.connect())
            with pytest.raises(psycopg.OperationalError, match="remaining connection slots|too many clients"):
                for _ in range(20):
                    stack.enter_context(db.connect(user="app"))
            first.execute("select pgtq.schedule_in('0', %s)", (LOG.format("x"),))
            eventually(lambda: first.execute("select what from app.log").fetchall() == [("x",)])
