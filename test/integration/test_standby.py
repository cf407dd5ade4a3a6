"""Failover, the way back, and a restore to a moment: what was acknowledged fires once in all."""

import shutil
import threading
import time

import psycopg
import pytest
from server import CommandFailed, Server, eventually

SCHEMA = """
    create role app login in role pgtq_writer;
    create table ran (id bigint, at timestamptz default clock_timestamp());
    grant insert on ran to app;
"""
ACTION = "insert into ran values (pgtq.current_timer())"


class Load(threading.Thread):
    """Schedules timers, and knows which were acknowledged."""

    def __init__(self, db):
        super().__init__(daemon=True)
        self.db, self.acknowledged, self.error = db, [], None
        self.start()

    def run(self):
        try:
            with self.db.connect(user="app") as conn:
                for n in range(10**9):
                    (ids,) = conn.execute(
                        "select pgtq.schedule_many(array[now(), now() + interval '0.5 s', now() + interval '4 s'], array_fill(%s::text, array[3]))",
                        (ACTION,)).fetchone()
                    self.acknowledged += ids
        except psycopg.Error as error:          # the primary is gone
            self.error = error


class Loop(threading.Thread):
    """What ticks and runs in the PL build, wherever it is."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.stop = server, False
        self.start()

    def run(self):
        while not self.stop:
            for user, tasks in (("postgres", "{tick}"), ("app", "{run}")):
                try:
                    with self.server.connect("standby", user=user) as conn:
                        conn.execute("call pgtq.ticker_loop('100 ms', '20 ms', %s)", (tasks,))
                except psycopg.Error:
                    time.sleep(0.05)


@pytest.fixture
def primary(workspace, build):
    preload = {"shared_preload_libraries": "pgtq"} if build == "c" else {}
    with workspace.server(max_worker_processes=20, synchronous_commit="on", wal_log_hints="on",
                          wal_keep_size="1GB", **preload) as server:
        db = server.create_db("standby", build)
        db.psql(SCHEMA)
        yield server


def synchronous(server):
    with server.connect() as conn:
        conn.execute("alter system set synchronous_standby_names = '*'")
        conn.execute("select pg_reload_conf()")
    eventually(lambda: sync_state(server) == "sync", 60)


def sync_state(server):
    with server.connect() as conn:
        row = conn.execute("select sync_state from pg_stat_replication").fetchone()
        return row and row[0]


def kill(server):
    server.process.kill()
    server.process.wait()


def take_over(standby):
    standby.promote()
    with standby.connect() as conn:
        conn.execute("alter system reset synchronous_standby_names")
        conn.execute("select pg_reload_conf()")
        conn.execute("checkpoint")          # before that pg_rewind does not see the new timeline


def database(server, build):
    from server import Database
    return Database(server, "standby", build)


def load_and_kill(server, build):
    """What was acknowledged before the server died."""
    loop = Loop(server) if build == "pl" else None
    load = Load(database(server, build))
    eventually(lambda: len(load.acknowledged) > 150 or load.error, 60)
    assert not load.error
    kill(server)
    load.join(30)
    assert isinstance(load.error, psycopg.OperationalError)
    if loop:
        loop.stop = True
        loop.join(30)
    return load.acknowledged


def all_ran_once(server, build, acknowledged):
    loop = Loop(server) if build == "pl" else None
    db = database(server, build)
    eventually(lambda: set(acknowledged) <= {id for (id,) in db.rows("select id from ran")}, 60, 0.2)
    # others may have committed without anybody being told; those, too, once
    eventually(lambda: not db.rows("select from pgtq.delay"), 30, 0.2)
    eventually(lambda: not db.rows("select from pgtq.timers where state = 'due'"), 30, 0.2)
    if loop:
        loop.stop = True
        loop.join(30)
    assert db.rows("select id, count(*) from ran group by 1 having count(*) > 1") == []
    assert db.rows("select hi_timer from pgtq.history where hi_status = 1 except select id from ran") == []
    assert db.rows("select id from ran except select hi_timer from pgtq.history where hi_status = 1") == []


@pytest.mark.timeout(280)
def test_failover_and_back(workspace, primary, build):
    """The old primary comes back as a standby, and takes over again."""
    standby = primary.standby()
    synchronous(primary)
    acknowledged = load_and_kill(primary, build)
    take_over(standby)
    all_ran_once(standby, build, acknowledged)

    def rewound():                          # the last processes of the old server leave by and by
        try:
            workspace.run("pg_rewind", "-D", primary.data, "--source-server", standby.conninfo(), "-R")
            return True
        except CommandFailed as error:
            if "lock file" in str(error) or "shared memory" in str(error):
                return False
            raise
    eventually(rewound, 60, 0.5)
    primary.configure(unix_socket_directories=str(primary.path))
    primary.start()
    synchronous(standby)
    acknowledged += load_and_kill(standby, build)
    take_over(primary)
    all_ran_once(primary, build, acknowledged)


@pytest.mark.parametrize("on_recovery", ["run", "skip"])
def test_restore_to_a_moment(workspace, build, on_recovery):
    """Pending timers that were due in between fire once, or are skipped, as the setting says."""
    archive = workspace.path / f"archive_{build}_{on_recovery}"
    archive.mkdir()
    workspace._own(archive)
    preload = {"shared_preload_libraries": "pgtq"} if build == "c" else {}
    with workspace.server(max_worker_processes=20, archive_mode="on",
                          archive_command=f"cp %p {archive}/%f", **preload) as server:
        db = server.create_db("standby", build)
        db.psql(SCHEMA)
        restored = Server(workspace, workspace.unused_name("s"), server.build)
        restored._mkdir()
        workspace.run("pg_basebackup", "-D", restored.data, "-c", "fast", "--no-sync", "-d", server.conninfo())
        with db.connect(user="app") as conn:
            soon = [conn.execute("select pgtq.schedule_in('2 s', %s)", (ACTION,)).fetchone()[0] for _ in range(3)]
            (later,) = conn.execute("select pgtq.schedule_in('12 s', %s)", (ACTION,)).fetchone()
        db.rows("select pgtq.ticker()")     # made of a template: it is to know which server it is in
        loop = Loop(server) if build == "pl" else None
        with server.connect() as conn:
            conn.execute("select pg_create_restore_point('before')")
        eventually(lambda: db.value("select count(*) from ran") == 3)       # in the future that is lost
        with server.connect() as conn:
            (segment,) = conn.execute("select pg_walfile_name(pg_switch_wal())").fetchone()
        eventually(lambda: (archive / segment).exists())
        if loop:
            loop.stop = True
            loop.join(30)
        server.stop()
    restored.configure(unix_socket_directories=str(restored.path), restore_command=f"cp {archive}/%f %p", archive_mode="off",
                       recovery_target_name="before", recovery_target_action="promote")
    (restored.data / "recovery.signal").touch()
    with restored:
        if build == "c":
            restored.configure(**{"pgtq.on_recovery": on_recovery})
        restored.start()
        db = database(restored, build)
        eventually(lambda: not db.value("select pg_is_in_recovery()"))
        if build == "pl":
            db.psql(f"alter database {db.name} set pgtq.on_recovery = '{on_recovery}'")
        loop = Loop(restored) if build == "pl" else None
        expected = "fired" if on_recovery == "run" else "expired"
        eventually(lambda: db.rows("select state from pgtq.timers where id = any (%s)", soon) == [(expected,)] * 3, 20, 0.2)
        assert db.value("select count(*) from ran") == (3 if on_recovery == "run" else 0)
        # what is due afterwards fires whatever the setting is
        eventually(lambda: db.rows("select state from pgtq.timers where id = %s", later) == [("fired",)], 30, 0.2)
        assert db.rows("select id, count(*) from ran group by 1 having count(*) > 1") == []
        if loop:
            loop.stop = True
            loop.join(30)
    shutil.rmtree(archive, ignore_errors=True)
