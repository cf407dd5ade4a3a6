"""From pgtq_pl_only.sql to the extension and back, with everything under way: nothing is lost, nothing comes twice."""

import time

import pytest
from catalog import differences, extension_fingerprint, fingerprint
from server import Database, eventually

FILL = """
    select pgtq.create_queue('q'), pgtq.create_queue('idle');
    update pgtq.queue set queue_ticker_max_lag = '0', queue_ticker_idle_period = '0', queue_rotation_period = '0';
    select pgtq.register_consumer('q', 'ahead'), pgtq.register_consumer('q', 'behind');
    select pgtq.insert_event('q', 't', n::text) from generate_series(1, 4) n;
    select pgtq.ticker('q');
    select pgtq.maint_rotate_tables_step1('q');
    select pgtq.insert_event('q', 't', n::text) from generate_series(5, 6) n;
    select pgtq.ticker('q');
    select pgtq.insert_event('q', 't', 'not ticked');
    select pgtq.insert_event_in('q', '1 hour', 't', 'delayed');

    create table public.log (id bigint generated always as identity, what text, who text default current_user);
    create table public.thing (id integer primary key, name text, due timestamptz);
    create trigger json after insert or update or delete on public.thing for each row execute function pgtq.jsontriga('q');
    create trigger logu after insert or update or delete on public.thing for each row execute function pgtq.logutriga('q');
    create trigger sql after insert or update or delete on public.thing for each row execute function pgtq.sqltriga('q');
    create trigger timer after insert or update or delete on public.thing for each row
        execute function pgtq.timertriga('timers', 'at=due', 'action=format(''insert into public.log (what) values (%L)'', name)');
    create view public.mine as select id, state from pgtq.timers;
    grant all on public.log, public.thing to app;
"""

FIRST = """
    select pgtq.schedule_in('0', 'insert into public.log (what) values (''done'')'), pgtq.schedule_in('0', 'select 1/0'),
           pgtq.schedule_in('0', 'select ''again'', 1/0', max_attempts => 3, backoff => '2 hours');
"""
SECOND = """
    select pgtq.schedule_in('0', $$insert into public.log (what) values ('due')$$),
           pgtq.schedule_in('3 hours', $$insert into public.log (what) values ('pending')$$),
           pgtq.schedule_in('3 hours', $$insert into public.log (what) values ('keyed')$$, key => 'k'),
           pgtq.cancel(pgtq.schedule_in('1 hour', 'select 1'));
    insert into public.thing values (1, 'thing 1', now() + interval '3 hours');
"""


@pytest.fixture
def server(workspace):
    with workspace.server(shared_preload_libraries="pgtq") as server:
        server.psql("postgres", "create role owner login createrole; create role app login; create role fresh_owner")
        yield server


@pytest.fixture
def db(server):
    """What an ordinary role has installed; timers that are pending, due, done, failed, cancelled and to be tried again."""
    with server.connect() as conn:
        conn.execute("create database moving owner owner")
    server.psql("moving", file=server.build.pl_script, user="owner")
    # from 16 on who has created a role is a member of it, but does not inherit its rights
    inherit = " with inherit true" if server.workspace.major >= 16 else ""
    server.psql("moving", f"grant all on schema public to owner; grant pgtq_admin to owner{inherit}; grant pgtq_writer to app")
    db = Database(server, "moving", "pl")
    def run(user, sql):
        db.psql(input=sql, user=user)       # each statement a transaction

    run("owner", "select pgtq.create_queue('made'), pgtq.drop_queue('made')")
    run("app", "select pgtq.schedule_in('100 years', 'select 1')")
    run("owner", FILL)
    for sql in (FIRST, SECOND):
        run("app", sql)
        run("owner", 2 * "select pgtq.ticker();")
        if sql == FIRST:
            run("app", "call pgtq.run_due()")
    return db


def contents(conn):
    """All rows and sequences of pgtq's."""
    names = conn.execute("select c.oid::regclass::text, relkind::text from pg_class c"
                         " where relnamespace = 'pgtq'::regnamespace and relkind in ('r', 'S') order by 1").fetchall()
    return {name: conn.execute(f"select last_value, is_called from {name}" if kind == "S"
                               else f"select t::text from only {name} t order by 1").fetchall()
            for name, kind in names}


def settled(conn):
    """The same, when it has not changed for longer than the executor's position takes to follow."""
    looks = []

    def stable():
        looks.append((time.monotonic(), contents(conn)))
        return next((True for since, seen in looks if seen == looks[-1][1] and looks[-1][0] - since > 2), False)
    eventually(stable, 30, 0.5)
    return looks[-1][1]


def from_extension(db):
    db.psql(file=db.server.build.src / "pgtq_pl_only.from_extension.sql", args=["--single-transaction", "-v", "owner=owner"])


def next_batch(db, consumer):
    """An open batch, and its events."""
    batch = db.value("select pgtq.next_batch('q', %s)", consumer)
    return batch, sorted(db.rows("select ev_id, ev_data, ev_retry from pgtq.get_batch_events(%s)", batch))


def drain(db, consumer):
    events = []
    while db.value("select pgtq.next_batch('q', %s)", consumer):
        batch, some = next_batch(db, consumer)
        events += some
        db.value("select pgtq.finish_batch(%s)", batch)
    return events


def fresh(server, build):
    """A new installation with the same queues, to compare with."""
    if build == "c":
        db = server.create_db("fresh_c", "c", template=False)
    else:
        with server.connect() as conn:
            conn.execute("create database fresh_pl owner owner")
        server.psql("fresh_pl", file=server.build.pl_script, user="owner")
        db = Database(server, "fresh_pl", "pl")
    db.rows("select pgtq.create_queue('made'), pgtq.drop_queue('made'), pgtq.create_queue('timers'), pgtq.create_queue('q'), pgtq.create_queue('idle')")
    return db


MEMBERS = """
    select pg_describe_object(classid, objid, objsubid) from pg_depend
     where refclassid = 'pg_extension'::regclass and deptype = 'e'
       and refobjid = (select oid from pg_extension where extname = 'pgtq')
"""
OWNERS = """
    select distinct pg_get_userbyid(relowner) from pg_class where relnamespace = 'pgtq'::regnamespace
    union
    select distinct pg_get_userbyid(proowner) from pg_proc where pronamespace = 'pgtq'::regnamespace
    union
    select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'pgtq'
"""
LANGUAGES = """
    select proname, lanname from pg_proc p join pg_language l on l.oid = prolang where pronamespace = 'pgtq'::regnamespace
"""


def test_there_and_back(server, db):
    with db.connect(user="owner"):
        batch, events = next_batch(db, "ahead")
    assert len(events) == 4
    db.value("select pgtq.event_retry(%s, %s, 7200)", batch, events[0][0])
    assert db.rows("select state, count(*)::int from pgtq.timers where queue = 'timers' group by 1 order by 1") == \
        [("cancelled", 1), ("due", 1), ("failed", 1), ("fired", 1), ("pending", 5)]

    # to the extension, whose workers start when it is committed
    with db.connect(autocommit=False) as conn:
        before = contents(conn)
        conn.execute("create extension pgtq version 'pl_only'")
        conn.execute("alter extension pgtq update")
        unmoved(before, contents(conn))
    same_as_fresh(db, fresh(server, "c"), extension_fingerprint)
    assert set(db.rows(MEMBERS)) == set(Database(server, "fresh_c", "c").rows(MEMBERS))
    assert db.rows(OWNERS) == [("postgres",)]

    eventually(lambda: ("due", "app") in logged(db))
    assert next_batch(db, "ahead") == (batch, events)
    db.value("select pgtq.finish_batch(%s)", batch)
    with db.connect(user="app") as app:
        app.execute("insert into thing values (2, 'thing 2', now() + interval '3 hours'); update thing set name = 'new 1' where id = 1")
        assert app.execute("select pgtq.cancel_key('k')").fetchone() == (True,)
        app.execute("select pgtq.schedule_in('3 hours', $$insert into public.log (what) values ('keyed')$$, key => 'k')")
    assert len(db.rows("select from mine where state = 'pending'")) == 7

    # and back, when the workers have nothing to do: so they move nothing between the two looks
    db.rows("update pgtq.queue set queue_ticker_paused = true")
    batch, events = next_batch(db, "behind")
    with db.connect() as conn:
        before = settled(conn)
        from_extension(db)
        unmoved(before, contents(conn))
    same_as_fresh(db, fresh(server, "pl"), fingerprint)
    assert db.rows(OWNERS) == [("owner",)]
    assert sorted(db.rows(LANGUAGES)) == sorted(Database(server, "fresh_pl", "pl").rows(LANGUAGES))
    db.rows("update pgtq.queue set queue_ticker_paused = false")
    assert next_batch(db, "behind") == (batch, events)

    for user in ("app", "owner"):
        db.rows(f"alter role {user} set pgtq.clock_offset = '4 hours'")
    with db.connect(user="app") as app, db.connect(user="owner") as owner:
        app.execute("delete from thing where id = 2")
        for _ in range(2):
            owner.execute("select pgtq.ticker()")
        app.execute("call pgtq.run_due()")
        assert app.execute("call pgtq.run_due()").fetchone() == (0,)
    assert sorted(logged(db)) == [(what, "app") for what in ("done", "due", "keyed", "new 1", "pending")]
    assert db.rows("select state, attempts from pgtq.timers where action like '%%again%%'") == [("pending", 2)]
    assert db.value("select count(*) from pgtq.dead_letters") == 1

    everything = [str(n) for n in range(1, 7)] + ["not ticked", "delayed"]
    for consumer, more in (("ahead", ["1"]), ("behind", [])):
        got = [data for _, data, _ in drain(db, consumer)]
        plain = [data for data in got if data in everything]
        assert sorted(plain) == sorted((everything if consumer == "behind" else everything[4:]) + more)
        assert len(got) - len(plain) == 3 * 4          # four changes of a row, three triggers
    db.psql(file=server.build.src / "pgtq_pl_only.upgrade.sql", user="owner")


def logged(db):
    return db.rows("select what, who from log order by id")


def unmoved(before, after):
    assert before.keys() == after.keys()
    for name, rows in before.items():
        assert after[name] == rows, name


def same_as_fresh(db, other, of):
    found = differences(of(db), of(other), "moved", "fresh")
    # how far the rings and their generations have grown is another matter
    assert found == [], "\n".join(found)


def test_move_is_refused(server, db):
    with server.connect("postgres") as conn:
        conn.execute("create database empty")
    empty = Database(server, "empty", "c")
    with pytest.raises(Exception, match="nothing here that pgtq_pl_only.sql has made"):
        empty.psql("create extension pgtq version 'pl_only'")
    with pytest.raises(Exception, match="no extension"):
        from_extension(db)
    with pytest.raises(Exception, match="no owner was given"):
        db.psql(file=server.build.src / "pgtq_pl_only.from_extension.sql")
    with pytest.raises(Exception, match="permission denied"):
        server.psql("moving", "create extension pgtq version 'pl_only'", user="owner")
