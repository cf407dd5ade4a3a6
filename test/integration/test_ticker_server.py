"""The workers and the server: settings, slots, standbys, shutdown and crashes."""

import os
import signal
import time

import psycopg
import pytest
from conftest import has_ticker
from consumer import Background, events, is_waiting
from server import CommandFailed, eventually

PRELOAD = {"shared_preload_libraries": "pgtq"}


def new_queue(db):
    db.psql("select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c')")


def works(db):
    with db.connect() as conn:
        conn.execute("select pgtq.insert_event('q', 't', 'works')")
        assert events(conn, 1)[-1] == "works"


def health(db):
    return dict(db.rows("select name, status from pgtq.health()"))


@pytest.mark.timeout(300)
def test_settings_are_reloaded(workspace):
    with workspace.server(**PRELOAD) as server:
        one, two = server.create_db("one"), server.create_db("Two")
        for db in (one, two):
            eventually(lambda: has_ticker(db))
        server.configure(**{"pgtq.databases": '"Two", nosuch'})
        server.reload()
        eventually(lambda: not has_ticker(one))
        assert has_ticker(two) and health(one)["ticker"] == "error"
        server.configure(**{"pgtq.databases": "", "pgtq.enabled": "off"})
        server.reload()
        eventually(lambda: not has_ticker(two))
        assert health(two)["server"] == "warn"
        server.configure(**{"pgtq.enabled": "on"})
        server.reload()
        for db in (one, two):
            eventually(lambda: has_ticker(db))

        # all come back after a restart, and shutting down takes no time
        for mode in ("smart", "fast", "immediate"):
            started = time.monotonic()
            server.stop(mode)
            assert time.monotonic() - started < 20
            server.start()
            for db in (one, two):
                eventually(lambda: has_ticker(db))


@pytest.mark.timeout(300)
def test_worker_slots_run_out(workspace):
    """Two slots are the launchers', one is left for three databases."""
    with workspace.server(**PRELOAD, max_worker_processes=3) as server:
        dbs = [server.create_db(f"d{n}") for n in range(3)]

        def running():
            return [db for db in dbs if has_ticker(db)]

        (lucky,) = eventually(running)
        poor = next(db for db in dbs if db is not lucky)
        eventually(lambda: health(poor).get("worker slots") == "error")
        new_queue(lucky)
        works(lucky)
        assert server.log().count("no free slot for a background worker") == 1

        # rotation needs a slot, too
        lucky.psql("select pgtq.set_queue_config('q', 'rotation_period', '0')")
        server.configure(**{"pgtq.maintenance_interval": "1s"})
        server.reload()
        lucky.psql("select pgtq.set_queue_config('q', 'rotation_period', '0')")   # wakes it
        eventually(lambda: health(lucky)["maintenance"] == "warn")

        # one goes, another comes, without a restart
        lucky.drop()
        dbs.remove(lucky)
        eventually(running)
        dbs.remove(running()[0])
        server.configure(max_worker_processes=8)
        server.restart()
        eventually(lambda: len(running()) == 1 and health(dbs[0])["worker slots"] == "ok")


def in_parallel(server, conn):
    """Has a session sleep in a parallel worker; false if it has got none, as the launcher may have the slot for a moment."""
    sleeping = Background(conn.execute, "select pg_sleep(100)")
    try:
        with server.connect() as other:
            eventually(lambda: other.execute("select exists (select from pg_stat_activity where backend_type = 'parallel worker'"
                                             " and leader_pid = %s)", [conn.info.backend_pid]).fetchone()[0], 3)
        return sleeping
    except AssertionError:
        conn.cancel()
        sleeping.join()
        return None


@pytest.mark.timeout(300)
def test_slots_are_taken_by_others(workspace):
    """Two sessions have the two slots for their parallel queries; one ends."""
    with workspace.server(**PRELOAD, max_worker_processes=4) as server:
        parallel = "force_parallel_mode" if workspace.major < 16 else "debug_parallel_query"
        options = f"-c {parallel}=on -c max_parallel_workers_per_gather=1"
        with server.connect(options=options) as one, server.connect(options=options) as two:
            sleeping = [eventually(lambda conn=conn: in_parallel(server, conn), 120) for conn in (one, two)]
            db = server.create_db()
            eventually(lambda: health(db).get("worker slots") == "error")
            assert not has_ticker(db)
            one.cancel()
            eventually(lambda: has_ticker(db))
            assert health(db)["worker slots"] == "ok"
            new_queue(db)
            works(db)
            two.cancel()
            for thread in sleeping:
                with pytest.raises(psycopg.errors.QueryCanceled):
                    thread.result()


@pytest.mark.timeout(300)
def test_standby_and_promotion(workspace):
    with workspace.server(**PRELOAD) as server:
        db = server.create_db("q")
        new_queue(db)
        works(db)
        with server.standby() as standby:
            replica = type(db)(standby, "q", "c")
            assert not has_ticker(replica)
            found = health(replica)
            assert found["preload"] == found["server"] == "ok"
            assert not {"ticker", "executor", "ticks"} & set(found)
            db.psql("select pgtq.insert_event('q', 't', 'before')")
            server.stop("immediate")
            standby.promote()
            eventually(lambda: not replica.value("select pg_is_in_recovery()"))
            eventually(lambda: has_ticker(replica), 5)
            with replica.connect() as conn:
                conn.execute("select pgtq.insert_event('q', 't', 'after')")
                while "after" not in events(conn, 1):       # "before" may be there, too
                    pass


@pytest.mark.timeout(300)
def test_not_preloaded(workspace):
    """Nothing errors; a consumer that waits is served by whoever ticks."""
    with workspace.server() as server:
        db = server.create_db(template=False)
        new_queue(db)
        found = health(db)
        assert (found["preload"], found["server"], found["ticks"]) == ("warn", "ok", "ok")
        assert not {"ticker", "executor"} & set(found)
        db.psql("begin; select pgtq.insert_event('q', 't', 'x'); prepare transaction 'p'")
        db.psql("commit prepared 'p'")
        with db.connect() as conn:
            waiting = Background(events, conn, 1)
            eventually(lambda: is_waiting(db))
            db.rows("select pgtq.force_tick('q')")
            db.rows("select pgtq.ticker()")
            assert waiting.result() == ["x"]


@pytest.mark.timeout(300)
def test_new_launcher_finds_the_tickers(workspace):
    with workspace.server(**PRELOAD) as server:
        db = server.create_db("q")
        eventually(lambda: has_ticker(db))
        (ticker, launcher), = db.rows("select ticker_pid, launcher_pid from pgtq._ticker_state()")
        server.psql("postgres", f"select pg_terminate_backend({launcher})")
        eventually(lambda: db.value("select launcher_pid <> %s from pgtq._ticker_state()", launcher))
        eventually(lambda: has_ticker(server.create_db()))
        assert db.value("select ticker_pid from pgtq.ticker_stats") == ticker
        server.psql("postgres", f"select pg_terminate_backend({ticker})")
        eventually(lambda: db.value("select ticker_pid <> %s from pgtq.ticker_stats", ticker))
        server.configure(**{"pgtq.enabled": "off"})
        server.reload()
        eventually(lambda: not has_ticker(db))


# -- kill -9


def is_of_a_crash(error):
    return (isinstance(error, psycopg.OperationalError)
            and (error.sqlstate is None or error.sqlstate.startswith("57P")))


class Load:
    """A writer and a consumer that go on whatever happens, and keep account."""

    def __init__(self, db):
        self.db = db
        self.acknowledged, self.stop = set(), False
        db.psql("create table seen (data text)")
        self.threads = [Background(self.forever, self.write), Background(self.forever, self.read)]

    def forever(self, work):
        while not self.stop:
            try:
                with self.db.connect(autocommit=False) as conn:
                    while not self.stop:
                        work(conn)
            except psycopg.Error as error:
                if not is_of_a_crash(error):
                    raise
                time.sleep(0.02)

    def write(self, conn):
        n = len(self.acknowledged)
        for data in (f"{n} event {time.monotonic_ns()}", f"{n} retry {time.monotonic_ns()}"):
            if "event" in data:
                conn.execute("select pgtq.insert_event('q', 't', %s)", (data,))
            else:
                conn.execute("select pgtq.event_retry_raw('q', 'c', clock_timestamp() + '5 ms', null, now(), 1,"
                             " 't', %s, null, null, null, null)", (data,))
            conn.commit()
            self.acknowledged.add(data)
        time.sleep(0.001)

    def read(self, conn):
        (batch,) = conn.execute("select pgtq.wait_batch('q', 'c', '100 ms')").fetchone()
        if batch is not None:
            conn.execute("insert into seen select ev_data from pgtq.get_batch_events(%s)", (batch,))
            conn.execute("select pgtq.finish_batch(%s)", (batch,))
        conn.commit()

    def seen(self):
        return [data for (data,) in self.db.rows("select data from seen")]

    def check(self):
        """Waits until everything has come; nothing may come twice."""
        wanted = len(self.acknowledged) + 50
        eventually(lambda: len(self.acknowledged) >= wanted, 30)
        sofar = set(self.acknowledged)
        eventually(lambda: sofar <= set(self.seen()), 30)

    def end(self):
        self.stop = True
        for thread in self.threads:
            thread.result()
        seen = self.seen()
        assert len(seen) == len(set(seen)), "delivered twice"


@pytest.mark.timeout(300)
def test_kill_9(workspace):
    with workspace.server(**PRELOAD) as server:
        db = server.create_db("q")
        new_queue(db)
        load = Load(db)
        load.check()
        for victim in ("pgtq ticker", "pgtq launcher", "postmaster", "pgtq ticker"):
            if victim == "postmaster":
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
                restart(server)
            else:
                pid = db.value("select pid from pg_stat_activity where backend_type = %s limit 1", victim)
                kill(server, pid)
            eventually(lambda: accepts(db), 30)
            load.check()
        load.end()


def kill(server, pid):
    # pytest runs as the same user as the server, also if that is not root's
    os.kill(pid, signal.SIGKILL)


def accepts(db):
    try:
        return has_ticker(db)
    except psycopg.OperationalError:
        return False


def restart(server):
    """Starts again when the last process of the old server has gone."""
    def start():
        try:
            server.start()
            return True
        except CommandFailed as error:
            assert "pre-existing shared memory block" in str(error), error
            return False
    eventually(start, 30)
