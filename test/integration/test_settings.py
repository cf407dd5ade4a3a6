"""Settings that somebody has chosen for the server, a database or a role: timers, batches, cancel, rotation work.

Where a setting forbids something (a read-only database, a timeout), the error says so, and when the setting has gone
all goes on.  PGTQ_SETTINGS=full tries everything at each level, and each of the harmless ones alone, too.
"""

import itertools
import os

import psycopg
import pytest
from server import eventually
from timers import GRANTS, drop_role

# These change how values are written or read, how queries are planned, or how errors are treated: nothing may notice.
ODD = {
    "DateStyle": "SQL, DMY", "IntervalStyle": "sql_standard", "TimeZone": "Asia/Kathmandu", "bytea_output": "escape",
    "standard_conforming_strings": "off", "search_path": "", "row_security": "off", "array_nulls": "off",
    "quote_all_identifiers": "on", "transform_null_equals": "on", "extra_float_digits": "-15", "backslash_quote": "off",
    "enable_indexscan": "off", "enable_bitmapscan": "off", "plan_cache_mode": "force_custom_plan", "work_mem": "64",
    "constraint_exclusion": "on", "join_collapse_limit": "1", "default_transaction_deferrable": "on", "xmloption": "document",
}
FULL = os.environ.get("PGTQ_SETTINGS") == "full"
if FULL:
    HARMLESS = [ODD, *({name: value} for name, value in ODD.items())]
else:
    HARMLESS = [ODD]
HARMLESS += [{"lock_timeout": "50ms", "idle_in_transaction_session_timeout": "500ms", "statement_timeout": "5s"}]
ALL_LEVELS = ("server", "database", "role")
LEVELS = ALL_LEVELS if FULL else ("database",)
NAMES = (f"app{n}" for n in itertools.count(1))


def ids(value):
    return value if isinstance(value, str) else "odd" if value is ODD else "+".join(value)


class App:
    """A database with settings at one level, and a role that uses it."""

    def __init__(self, server, build, level, settings, **create):
        self.server, self.settings, self.level = server, settings, level
        self.name = next(NAMES)
        self.db = server.create_db(build=build) if not create else create_with(server, build, self.name, **create)
        self.db.psql(f"create role {self.name} login; grant pgtq_writer, pgtq_reader to {self.name};" + GRANTS)
        if level == "server":
            server.configure(**settings)
            server.restart()
        else:
            whose = f'database "{self.db.name}"' if level == "database" else f"role {self.name}"
            for name, value in settings.items():
                self.db.psql(f"alter {whose} set {name} = " + (f"'{value}'" if value else "''"))
            if self.workers:
                restart_workers(self.db)

    @property
    def workers(self):
        return self.db.build == "c"

    def connect(self):
        return self.db.connect(user=self.name, client_encoding="UTF8")

    def value(self, query, *parameters, before=None):
        with self.connect() as conn:
            if before:
                conn.execute(before)
            return conn.execute(query, parameters or None).fetchone()[0]

    def let_run(self):
        """Where no worker does: one who ticks and maintains, and the role's own loop."""
        if not self.workers:
            loops = [("postgres", "{tick,maintain}"), (self.name, "{run}")]
            for user, tasks in loops[:1] if "session_replication_role" in self.settings else loops:
                with self.db.connect(user=user) as conn:
                    conn.execute("set default_transaction_isolation = 'read committed'")
                    conn.execute("set default_transaction_read_only = off")
                    conn.execute("set session_replication_role = origin" if user == "postgres" else "select")
                    conn.execute("call pgtq.ticker_loop('1 s', '100 ms', %s::text[])", (tasks,))
        return True

    def outcome(self, timer):
        def done():
            self.let_run()
            with self.db.connect(client_encoding="UTF8") as conn:
                conn.execute("set search_path = pg_catalog; set default_transaction_isolation = 'read committed'")
                return conn.execute("select state, sqlstate from pgtq.timers where id = %s"
                                    " and state not in ('pending', 'due')", (timer,)).fetchone()
        return eventually(done, 30)

    def close(self):
        if self.level == "server":
            self.server.stop("immediate")
            return
        with self.db.connect() as conn:
            conn.execute("set search_path = pg_catalog; set default_transaction_read_only = off")
            if self.level == "database":
                conn.execute(f'alter database "{self.db.name}" reset all')
            conn.execute(f"alter role {self.name} reset all")
        drop_role(self.db, self.name)
        self.db.drop()


def create_with(server, build, name, options):
    server.psql("postgres", f'create database "{name}" template template0 {options}')
    server.install(name, build)
    from server import Database
    return Database(server, name, build)


def restart_workers(db):
    """They read the settings of the database when they start."""
    workers = "from pg_stat_activity where backend_type in ('pgtq ticker', 'pgtq executor', 'pgtq session')" \
              f" and datname = '{db.name}'"
    with db.server.connect() as conn:
        conn.execute("set search_path = pg_catalog; set default_transaction_isolation = 'read committed'")
        before = conn.execute(f"select max(backend_start) {workers}").fetchone()[0]
        conn.execute(f"select pg_terminate_backend(pid) {workers}")
        eventually(lambda: conn.execute(f"select 1 from pg_stat_activity where backend_type = 'pgtq ticker' and datname = '{db.name}'"
                                        " and backend_start > coalesce(%s, '-infinity')", (before,)).fetchone(), 30)


WORKERS = {"shared_preload_libraries": "pgtq", "max_worker_processes": 60,
           "pgtq.maintenance_interval": "1s", "pgtq.launcher_interval": "1s"}


@pytest.fixture(scope="module")
def shared_server(workspace):
    with workspace.server(**WORKERS) as server:
        yield server


@pytest.fixture
def make(workspace, shared_server):
    """What a whole server is set to is that of a server of its own."""
    made = []

    def get(build, level, settings, **create):
        server = workspace.server(**WORKERS) if level == "server" else shared_server
        made.append(App(server, build, level, settings, **create))
        return made[-1]
    yield get
    for app in made:
        app.close()


LOG = "insert into app.log (what) values ('{}')"


def schedule(app, action, delay="0", before=None, **options):
    names = "".join(f", {name} => %s" for name in options)
    return app.value(f"select pgtq.schedule_in(%s::interval, %s{names})", delay, action, *options.values(), before=before)


def fires(app, before=None):
    timer = schedule(app, LOG.format("fired é"), before=before)
    assert app.outcome(timer) == ("fired", None)
    assert app.value("select count(*) from app.log where what = 'fired é'") == 1


def fails(app, before=None):
    assert app.outcome(schedule(app, "select 1/0", before=before)) == ("failed", "22012")


def retries(app, before=None):
    timer = schedule(app, LOG.format("again") + "; select 1 / (pgtq.current_timer() - pgtq.current_timer())",
                     before=before, max_attempts=2, backoff="10 ms", expires_in="1 day")
    assert app.outcome(timer) == ("failed", "22012")
    assert app.value("select count(*) from pgtq.attempts where id = %s", timer) == 2


def cancels(app, before=None):
    timer = schedule(app, LOG.format("no"), "1 hour", before=before)
    moved = app.value("select pgtq.reschedule(%s, now() + interval '2 hours')", timer, before=before)
    assert moved and app.value("select pgtq.cancel(%s)", timer, before=before)
    assert app.outcome(timer)[0] == "cancelled"
    assert not app.value("select pgtq.cancel(%s)", timer, before=before)


def keys(app):
    first = schedule(app, "select 1", "1 hour", key="k'\\")
    assert schedule(app, "select 2", "1 hour", key="k'\\") is None
    assert schedule(app, "select 3", "1 hour", key="k'\\", on_conflict="replace", max_delay="1 day") == first
    assert app.value("select pgtq.cancel_key(%s)", "k'\\")


def a_batch(app, before=None):
    """What a consumer of the queue q reads, which it makes if there is none."""
    for call in ("pgtq.create_queue('q')", "pgtq.register_consumer('q', 'c')"):
        with app.db.connect() as conn:
            conn.execute("set default_transaction_read_only = off; set default_transaction_isolation = 'read committed'")
            conn.execute(f"select {call}")
    app.value("select pgtq.insert_event('q', 'type''', E'data \\\\ ''é')", before=before)
    app.value("select pgtq.force_tick('q')", before=before)

    def batch():
        app.let_run()
        return app.value("select pgtq.next_batch('q', 'c')", before=before)
    while True:
        number = eventually(batch)
        read = app.value("select array_agg(ev_type || ev_data) from pgtq.get_batch_events(%s)", number, before=before)
        app.value("select pgtq.finish_batch(%s)", number, before=before)
        if read:
            return read


def batches(app, before=None):
    assert a_batch(app, before) == ["type'data \\ 'é"]


def rotates(app):
    with app.db.connect() as conn:
        conn.execute("set search_path = pg_catalog; set default_transaction_read_only = off;"
                     "set default_transaction_isolation = 'read committed'; set session_replication_role = origin")
        conn.execute("update pgtq.queue set queue_rotation_period = '0'")
        before = dict(conn.execute("select queue_name, queue_switch_time::text from pgtq.queue").fetchall())

        def turned():
            app.let_run()
            return all(time != before[name] for name, time in
                       conn.execute("select queue_name, queue_switch_time::text from pgtq.queue").fetchall())
        eventually(turned, 30)
        conn.execute("update pgtq.queue set queue_rotation_period = '1 hour'")


def everything(app):
    fires(app)
    fails(app)
    retries(app)
    cancels(app)
    keys(app)
    batches(app)
    rotates(app)
    batches(app)
    if app.workers:
        assert app.db.value("select count(*) from pgtq.health() where name = 'errors' and status <> 'ok'") == 0


@pytest.mark.parametrize("level, settings", [(level, settings) for level in ALL_LEVELS for settings in HARMLESS
                                             if settings is ODD or level in LEVELS], ids=ids)
def test_harmless(make, build, level, settings):
    everything(make(build, level, settings))


@pytest.mark.parametrize("isolation", ["serializable", "repeatable read"])
@pytest.mark.parametrize("level", LEVELS)
def test_isolation(make, build, level, isolation):
    """What is not possible under it says so: keys.  Workers use what they need."""
    app = make(build, level, {"default_transaction_isolation": isolation})
    fires(app)
    fails(app)
    cancels(app)
    batches(app)
    rotates(app)
    with pytest.raises(psycopg.errors.SerializationFailure):
        schedule(app, "select 1", key="k")
    if not app.workers:
        with pytest.raises(psycopg.errors.InvalidTransactionState) as error, app.connect() as conn:
            conn.execute("call pgtq.run_due()")
        assert "default_transaction_isolation" in error.value.diag.message_hint


@pytest.mark.parametrize("level", LEVELS)
def test_read_only(make, build, level):
    """Nothing is written by who may not write; a worker may, but for the action itself."""
    app = make(build, level, {"default_transaction_read_only": "on"})
    write = "set default_transaction_read_only = off"
    for call in ("pgtq.schedule_in('0', 'select 1')", "pgtq.cancel(1)", "pgtq.insert_event('q', 't', 'd')",
                 "pgtq.schedule_many(array[now()], array['select 1'])", "pgtq.insert_event_in('q', '0', 't', 'd')"):
        if "insert_event" in call:
            with app.db.connect() as conn:
                conn.execute(write)
                conn.execute("select pgtq.create_queue('q')")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            app.value(f"select {call}")
    timer = schedule(app, LOG.format("x"), before=write)
    assert app.outcome(timer) == (("failed", "25006") if app.workers else ("fired", None))
    assert app.outcome(schedule(app, "select 1", before=write)) == ("fired", None)
    cancels(app, before=write)
    batches(app, before=write)
    rotates(app)


@pytest.mark.parametrize("level", LEVELS)
def test_exit_on_error(make, level):
    """An action that fails ends its session, and is not tried for ever; no worker goes with it."""
    app = make("c", level, {"exit_on_error": "on"})
    fires(app)
    ticker = app.db.value("select ticker_pid from pgtq._ticker_state()")
    with app.db.connect() as conn:      # what the ticker meets: an error
        conn.execute("set exit_on_error = off")
        conn.execute("select pgtq.create_queue('broken')")
        sequence, = conn.execute("select queue_tick_seq from pgtq.queue where queue_name = 'broken'").fetchone()
        conn.execute(f"alter sequence {sequence} maxvalue 2")

        def met():
            conn.execute("select pgtq.insert_event('broken', 't', 'd')")
            return conn.execute("select 1 from pgtq.health() where name = 'errors' and status <> 'ok'").fetchone()
        conn.execute("select pgtq.set_queue_config('broken', 'ticker_max_lag', '0')")
        eventually(met, 30)
    assert app.outcome(schedule(app, "select 1/0")) == ("failed", "57P01")
    fires_again = schedule(app, LOG.format("again"))
    assert app.outcome(fires_again) == ("fired", None)
    assert app.db.value("select ticker_pid from pgtq._ticker_state()") == ticker


@pytest.mark.parametrize("level", LEVELS)
def test_replica(make, build, level):
    """session_replication_role = replica: timers are refused in words, events go on, and workers do not care."""
    app = make(build, level, {"session_replication_role": "replica"})
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        schedule(app, "select 1")
    origin = "set session_replication_role = origin"
    timer = admin(app, origin, "select pgtq.schedule_in('0', $$select 1$$)")
    if app.workers:
        assert app.outcome(timer) == ("fired", None)
    batches(app)
    rotates(app)


def admin(app, *statements):
    with app.db.connect() as conn:
        for statement in statements:
            cursor = conn.execute(statement)
        return cursor.fetchone()[0]


def test_statement_timeout(make):
    """It is not for the workers, and an action has a timeout of its own."""
    for level in LEVELS:
        app = make("c", level, {"statement_timeout": "100ms"})
        assert app.outcome(schedule(app, "select pg_sleep(0.3)", before="set statement_timeout = 0")) == ("fired", None)


def test_transaction_timeout(make, workspace):
    if workspace.major < 17:
        pytest.skip("a setting of 17")
    for level in LEVELS:
        app = make("c", level, {"transaction_timeout": "2s"})
        assert app.outcome(schedule(app, "select pg_sleep(3)", before="set transaction_timeout = 0")) == ("fired", None)
        batches(app)
        rotates(app)


@pytest.mark.parametrize("setting", ["role", "session_authorization"])
def test_owner_of_the_database_cannot_demote_the_workers(make, setting):
    app = make("c", "database", {})
    owner = app.name
    app.db.psql(f'alter database "{app.db.name}" owner to {owner}')
    with app.connect() as conn:
        conn.execute(f'alter database "{app.db.name}" set {setting} = {owner}')
    restart_workers(app.db)
    everything_of_the_owner(app)
    admin(app, "set session authorization postgres", "set role none", f'alter database "{app.db.name}" reset all',
          f'alter database "{app.db.name}" owner to postgres', "select 1")


def everything_of_the_owner(app):
    fires(app)
    with app.server.connect(app.db.name, options=None) as conn:
        conn.execute("set session authorization postgres; set role none")
        conn.execute("update pgtq.queue set queue_rotation_period = '0'")
        number = "select queue_switch_time::text from pgtq.queue where queue_name = 'timers'"
        before = conn.execute(number).fetchone()
        eventually(lambda: conn.execute(number).fetchone() != before, 30)


@pytest.mark.parametrize("options", [
    "encoding 'LATIN1' locale 'C'", "encoding 'SQL_ASCII' locale 'C'", "encoding 'EUC_JP' locale 'C'",
    "encoding 'UTF8' locale 'C' locale_provider icu icu_locale 'de-u-co-phonebk'",
    "encoding 'UTF8' locale_provider icu icu_locale 'und-u-ks-level1-kc-true' locale 'C'"])
def test_encodings_and_locales(make, build, options):
    app = make(build, "database", {}, options=options)
    if "EUC_JP" in options:     # has no é
        timer = schedule(app, LOG.format("日本"))
        assert app.outcome(timer) == ("fired", None)
        assert app.value("select what from app.log") == "日本"
        cancels(app)
        rotates(app)
    else:
        everything(app)
