"""The launcher: a ticker where one belongs, and out of the way where it does not.

PGTQ_FULL=1 makes and drops fifty databases where ten will do otherwise, and starts a
server with two hundred.
"""

import os
import re
import threading
import time

import psycopg
import pytest
from conftest import has_ticker
from consumer import Background, events
from server import Database, eventually

FULL = bool(os.environ.get("PGTQ_FULL"))
MANY = 50 if FULL else 10


def ticker_pid(db):
    return db.value("select ticker_pid from pgtq.ticker_stats")


def tickers(server, name):
    with server.connect() as conn:
        return conn.execute("select count(*) from pg_stat_activity"
                            " where backend_type = 'pgtq ticker' and datname = %s", (name,)).fetchone()[0]


def works(db, queue="q"):
    """One event through the ticker."""
    with db.connect() as conn:
        conn.execute("select pgtq.insert_event(%s, 't', 'works')", (queue,))
        while "works" not in events(conn, 1, queue=queue):      # there may be older ones
            pass


def test_extension_is_dropped_and_created_again(ticking):
    for _ in range(3):
        ticking.psql("drop extension pgtq cascade")
        eventually(lambda: tickers(ticking.server, ticking.name) == 0)
        ticking.psql("create extension pgtq")
        eventually(lambda: has_ticker(ticking))
        ticking.psql("select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c')")
        works(ticking)
    # in one go
    ticking.psql("begin; drop extension pgtq cascade; create extension pgtq; commit")
    ticking.psql("select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c')")
    works(ticking)
    # not at all
    ticking.psql("begin; drop extension pgtq cascade; rollback")
    works(ticking)


def test_extension_in_a_function(preloaded):
    preloaded.psql("postgres", "create database by_function")
    db = Database(preloaded, "by_function", "c")
    db.psql("do $$ begin execute 'create extension pgtq'; end $$")
    eventually(lambda: has_ticker(db))
    db.drop()


def test_drop_extension_under_load(ticking):
    stop = threading.Event()

    def load():
        with ticking.connect() as conn:
            while not stop.is_set():
                try:
                    conn.execute("select pgtq.insert_event('q', 't', 'x')")
                    conn.execute("select pgtq.event_retry_raw('q', 'c', now() + '1 ms', null, now(), 1,"
                                 " 't', 'r', null, null, null, null)")
                    conn.execute("select pgtq.wait_batch('q', 'c', '10 ms')")
                except psycopg.errors.Error as error:       # gone, or just going
                    assert error.sqlstate[:2] in ("42", "3F", "40", "XX"), error

    def drop():
        try:
            ticking.rows("drop extension pgtq cascade")
            return True
        except psycopg.errors.DeadlockDetected:     # with a load: it locks one table, then another
            return False

    loads = [Background(load) for _ in range(2)]
    try:
        for _ in range(3):
            eventually(lambda: ticking.value("select ticks > 5 from pgtq.ticker_stats"))
            eventually(drop)
            ticking.psql("create extension pgtq; select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c')")
    finally:
        stop.set()
    for load in loads:
        load.result()
    eventually(lambda: has_ticker(ticking))
    ticking.psql("select pgtq.create_queue('after'), pgtq.register_consumer('after', 'c')")
    works(ticking, "after")


def test_drop_database(preloaded):
    for force in ("", " with (force)"):
        db = preloaded.create_db()
        eventually(lambda: has_ticker(db))
        preloaded.psql("postgres", f'drop database "{db.name}"{force}')


def test_copy_a_database(ticking):
    """It finds the ticker gone; both have one afterwards."""
    for n in range(3):
        copy = Database(ticking.server, f"copy_{n}", "c")
        ticking.server.psql("postgres", f'create database {copy.name} template "{ticking.name}"')
        eventually(lambda: has_ticker(copy))
        eventually(lambda: has_ticker(ticking))
        works(ticking)
        works(copy)
        copy.drop()


def test_rename_a_database(preloaded):
    db = preloaded.create_db("before")
    eventually(lambda: has_ticker(db))
    preloaded.psql("postgres", "alter database before rename to after")
    after = Database(preloaded, "after", "c")
    eventually(lambda: has_ticker(after))
    # within a transaction that is rolled back
    preloaded.psql("postgres", "begin; alter database after rename to before; rollback")
    eventually(lambda: has_ticker(after))
    after.drop()


def test_move_a_database(preloaded):
    space = preloaded.path / "space"
    preloaded.workspace.run("mkdir", space)
    preloaded.psql("postgres", f"create tablespace elsewhere location '{space}'")
    db = preloaded.create_db("moved")
    eventually(lambda: has_ticker(db))
    preloaded.psql("postgres", "alter database moved set tablespace elsewhere")
    eventually(lambda: has_ticker(db))
    db.drop()
    preloaded.psql("postgres", "drop tablespace elsewhere")


def test_who_may_not_does_not_stop_it(ticking):
    server, pid = ticking.server, ticker_pid(ticking)
    server.psql("postgres", "create role nosy login createdb; create role nobody_much login")
    for role in ("nosy", "nobody_much"):
        for command in (f'drop database "{ticking.name}"', f'drop database "{ticking.name}" with (force)',
                        f'alter database "{ticking.name}" rename to mine',
                        f'create database mine template "{ticking.name}"',
                        f'alter database "{ticking.name}" set tablespace pg_default'):
            with server.connect("postgres", user=role) as conn:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    conn.execute(command)
    # nor does the owner, with a command that cannot succeed
    with pytest.raises(psycopg.errors.ActiveSqlTransaction), server.connect() as conn:
        conn.execute("begin")
        conn.execute(f'drop database "{ticking.name}"')
    assert ticker_pid(ticking) == pid
    server.psql("postgres", "drop role nosy; drop role nobody_much")


def test_refused_drop_brings_it_back(ticking):
    """Somebody else is connected: the command fails, and the ticker returns."""
    with ticking.connect():
        with pytest.raises(psycopg.errors.ObjectInUse), ticking.server.connect() as conn:
            conn.execute(f'drop database "{ticking.name}"')
    eventually(lambda: has_ticker(ticking))
    works(ticking)


def test_owner_may_drop(preloaded):
    preloaded.psql("postgres", "create role landlord login createdb")
    db = preloaded.create_db()
    preloaded.psql("postgres", f'alter database "{db.name}" owner to landlord')
    eventually(lambda: has_ticker(db))
    with preloaded.connect("postgres", user="landlord") as conn:
        conn.execute(f'drop database "{db.name}" with (force)')
    preloaded.psql("postgres", "drop role landlord")


def test_templates_and_closed_databases_have_none(preloaded):
    db = preloaded.create_db()
    eventually(lambda: has_ticker(db))
    for on, off in (("is_template true", "is_template false"),
                    ("allow_connections false", "allow_connections true")):
        preloaded.psql("postgres", f'alter database "{db.name}" {on}')
        eventually(lambda: tickers(preloaded, db.name) == 0)
        preloaded.psql("postgres", f'alter database "{db.name}" {off}')
        eventually(lambda: tickers(preloaded, db.name) == 1)
    db.drop()


@pytest.mark.timeout(300)
def test_databases_come_and_go_while_another_works(ticking):
    """Retries fire in time in one, whatever becomes of the others."""
    stop = threading.Event()
    served = []

    def work():
        with ticking.connect() as conn:
            while not stop.is_set():
                conn.execute("select pgtq.event_retry_raw('q', 'c', clock_timestamp() + '20 ms', null, now(), 1,"
                             " 't', %s, null, null, null, null)", (f"{len(served)}",))
                served.extend(events(conn, 1))

    worker = Background(work)
    try:
        for n in range(MANY):
            db = ticking.server.create_db(f"brief_{n}")
            if n % 2:
                eventually(lambda: has_ticker(db))
            if n % 3 == 0:
                db.psql("drop extension pgtq cascade")
            db.drop()
    finally:
        stop.set()
    worker.result()
    assert served == [f"{n}" for n in range(len(served))] and len(served) > MANY
    assert ticking.value("select errors from pgtq.ticker_stats") == 0


@pytest.mark.timeout(300)
def test_many_databases_at_once(preloaded):
    """A server that starts with many of them, half without the extension, has a ticker where it should."""
    dbs = [preloaded.create_db(f"many_{n}") for n in range(MANY)]
    for n in range(MANY):
        preloaded.psql("postgres", f"create database without_{n}")
    preloaded.restart()
    for db in dbs:
        eventually(lambda: has_ticker(db))
    eventually(lambda: all(tickers(preloaded, f"without_{n}") == 0 for n in range(MANY)))
    for db in dbs:
        db.drop()
    for n in range(MANY):
        preloaded.drop_db(f"without_{n}")


def most_starting(log, dbs):
    """How many tickers of these databases were on their way up at one time."""
    names, starting, most = {db.name for db in dbs}, set(), 0
    for line in log.splitlines():
        if asked := re.search(r"registering background worker \"pgtq ticker of database (\d+)\"", line):
            if "unregistering" not in line and f"d{asked[1]}_" in names:
                starting.add(asked[1])
                most = max(most, len(starting))
        elif there := re.search(r"pgtq ticker started in database \"d(\d+)_", line):
            starting.discard(there[1])
    return most


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count, slots", [(30, 16)] + ([(200, 220)] if FULL else []))
def test_server_full_of_databases(workspace, count, slots):
    """A few tickers are started at a time.  If there are fewer slots than databases, some
    databases have to wait, and get theirs when others go."""
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=slots, max_connections=300,
                          log_min_messages="debug1", **{"pgtq.enabled": "off"}) as server:
        dbs = [server.create_db(f"d{n}") for n in range(count)]
        with server.connect() as conn:
            # the log tells of them by their oids here and by their names there
            for db in dbs:
                (oid,) = conn.execute("select oid from pg_database where datname = %s", (db.name,)).fetchone()
                db.name = f"d{oid}_"
                conn.execute(f"alter database d{dbs.index(db)} rename to {db.name}")
        server.configure(**{"pgtq.enabled": "on"})
        server.stop()
        before, started = len(server.log()), time.monotonic()
        server.start()

        def served():
            with server.connect() as conn:
                names = {name for (name,) in conn.execute(
                    "select datname from pg_stat_activity where backend_type = 'pgtq ticker'").fetchall()}
            return [db for db in dbs if db.name in names]

        room = min(count, slots - 2)        # two are the launchers'
        eventually(lambda: len(served()) == room, 60)
        print(f"{room} tickers in {time.monotonic() - started:.1f} s")
        assert 1 < most_starting(server.log()[before:], dbs) <= 4
        for db in served()[:3]:
            db.psql("select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c')")
            works(db)

        def complaints():
            return server.log()[before:].count("pgtq cannot start a ticker")

        if room < count:
            poor = next(db for db in dbs if db not in served())
            assert dict(poor.rows("select name, status from pgtq.health()"))["worker slots"] == "error"
            assert complaints() == 1
            while len(dbs) > room:
                db = eventually(served)[0]
                db.drop()
                dbs.remove(db)
            eventually(lambda: len(served()) == len(dbs), 60)
            eventually(lambda: "pgtq has background workers for all databases again" in server.log())
        assert complaints() == (room < count)
