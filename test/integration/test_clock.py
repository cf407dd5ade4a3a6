"""The clock is set forward and back while timers wait, in a server that believes clock.c.

"tells" is Linux; "silent" does not tell when the clock is set, and "none" has no timers that
follow the clock: then the ticker sees it at its next wake-up, or within a minute.
"""

import struct
import subprocess
from pathlib import Path

import pytest
from conftest import has_ticker
from consumer import Background, batch, is_waiting
from server import eventually

HOUR = 3600
A_MINUTE = 75       # and a bit, for a busy machine


class Clock:
    """What the server sees is the machine's time and as many seconds more."""

    def __init__(self, server, kind):
        library, self.file = server.path / "clock.so", server.path / "clock"
        source = Path(__file__).with_name("clock.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-lpthread"], check=True)
        self.set(0)
        server.env.update(LD_PRELOAD=str(library), PGTQ_CLOCK_FILE=str(self.file), PGTQ_CLOCK_KIND=kind)

    def set(self, ahead):
        # in place: the server has it mapped
        with open(self.file, "r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("=q", ahead * 10**9))


@pytest.fixture(params=["tells", "silent", "none"])
def clocked(workspace, request):
    with workspace.server(shared_preload_libraries="pgtq") as server:
        clock = Clock(server, request.param)
        server.restart()
        db = server.create_db("q")
        db.psql("""
            create table ran (what text);
            select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c');
        """)
        eventually(lambda: has_ticker(db))
        db.clock, db.kind = clock, request.param
        yield db


def event(db, data, delay):
    return db.value("select pgtq.insert_event_in('q', %s::interval, 't', %s)", delay, data)


def plain(db, data):
    """An event that is due at once: it wakes the ticker, which then sees what time it is."""
    db.rows("select pgtq.insert_event('q', 't', %s)", data)


def action(db, data, delay):
    return db.value("select pgtq.schedule_in(%s::interval, %s)", delay, f"insert into ran values ('{data}')")


def ran(db):
    return sorted(data for (data,) in db.rows("select what from ran"))


def read(db, found, *wanted, timeout=20):
    """Adds what comes to "found", until all that is wanted has; nothing comes that was there."""
    with db.connect() as conn:
        def all_there():
            for data in batch(conn, timeout="1 s") or []:
                assert data not in found, f"{data} came twice"
                found.append(data)
            return set(wanted) <= set(found)
        eventually(all_there, timeout)


def asleep(db, next_due=True):
    """The ticker has seen everything, and sleeps."""
    eventually(lambda: db.value("select (next_due is not null) = %s and exists (select from pg_stat_activity a"
                                " where a.pid = ticker_pid and a.state = 'idle' and wait_event is not null)"
                                " from pgtq.ticker_stats", next_due))


def check_order(db):
    """A tick that comes later sees more."""
    snapshots = db.rows("select pg_snapshot_xmin(tick_snapshot)::text::bigint, pg_snapshot_xmax(tick_snapshot)::text::bigint"
                        " from pgtq.tick where tick_queue = 1 order by tick_id")
    assert [s for s in zip(*snapshots)] == [tuple(sorted(s)) for s in zip(*snapshots)]
    assert db.value("select errors from pgtq.ticker_stats") == 0


@pytest.mark.timeout(300)
def test_forward(clocked):
    """What is due in between comes at once, and once; and what is due later does not."""
    db, found = clocked, []
    for data, delay in (("ten", "10 min"), ("fifty", "50 min"), ("seventy", "70 min")):
        event(db, data, delay)
        action(db, data, delay)
    asleep(db)
    db.clock.set(HOUR)
    read(db, found, "ten", "fifty", timeout=A_MINUTE if db.kind == "none" else 20)
    eventually(lambda: ran(db) == ["fifty", "ten"])
    assert db.value("select clock_steps from pgtq.ticker_stats") == 1
    asleep(db)
    db.clock.set(2 * HOUR)
    plain(db, "wakes")
    read(db, found, "seventy", "wakes")
    eventually(lambda: ran(db) == ["fifty", "seventy", "ten"])
    event(db, "after", "0.1 s")
    read(db, found, "after")
    assert sorted(found) == ["after", "fifty", "seventy", "ten", "wakes"]
    check_order(db)


@pytest.mark.timeout(300)
def test_back(clocked):
    """Nothing comes twice, nothing is lost, and all goes on in the new time."""
    db, found = clocked, []
    event(db, "before", "0")
    action(db, "before", "0")
    read(db, found, "before")
    eventually(lambda: ran(db) == ["before"])
    for data, delay in (("soon", "10 s"), ("later", "30 min")):
        event(db, data, delay)
        action(db, data, delay)
    kept, gone = event(db, "kept", "0.2 s"), event(db, "gone", "0.2 s")
    with db.connect(autocommit=False) as keeper, db.connect(autocommit=False) as canceller:
        keeper.execute("select pgtq.cancel(%s)", (kept,))
        canceller.execute("select pgtq.cancel(%s)", (gone,))
        # they are due, and others have passed them
        event(db, "passes", "0.3 s")
        read(db, found, "passes")
        db.clock.set(-HOUR)
        canceller.commit()
        keeper.rollback()

    # in the new time: at once, and after a while; and the executor is started again
    (executor,) = db.rows("select pid from pg_stat_activity where backend_type = 'pgtq executor'")
    db.rows("select pg_terminate_backend(%s)", executor[0])
    for data, delay in (("now", "0"), ("second", "0.2 s")):
        event(db, data, delay)
        action(db, data, delay)
        read(db, found, data)
        eventually(lambda: data in ran(db))
    plain(db, "plain")
    read(db, found, "plain")
    assert sorted(found) == ["before", "now", "passes", "plain", "second"]
    assert ran(db) == ["before", "now", "second"]
    assert db.value("select clock_steps from pgtq.ticker_stats") == 1

    # the ticker is started again, too
    ticker = db.value("select ticker_pid from pgtq.ticker_stats")
    db.rows("select pg_terminate_backend(%s)", ticker)
    db.clock.set(-2 * HOUR)
    eventually(lambda: db.value("select ticker_pid <> %s from pgtq.ticker_stats", ticker))

    # it sleeps: looking at it every 20 ms does not find it awake each time
    asleep(db)
    wakeups = db.value("select wakeups from pgtq.ticker_stats")
    with pytest.raises(AssertionError):
        eventually(lambda: db.value("select wakeups > %s from pgtq.ticker_stats", wakeups + 3), 3)

    db.clock.set(60)
    plain(db, "wakes")
    read(db, found, "soon", "kept", "wakes")
    eventually(lambda: "soon" in ran(db))
    assert sorted(found) == ["before", "kept", "now", "passes", "plain", "second", "soon", "wakes"]
    assert ran(db) == ["before", "now", "second", "soon"]
    check_order(db)


def test_wait_batch_counts_by_another_clock(clocked):
    with clocked.connect() as conn:
        clocked.psql("select pgtq.set_queue_config('q', 'ticker_paused', 'true')")
        while batch(conn, timeout="0") is not None:
            pass
        waiting = Background(batch, conn, "2 s")
        eventually(lambda: is_waiting(clocked))
        clocked.clock.set(-HOUR)
        assert waiting.result() is None
