"""What an action can gain where run_due() runs it: nothing, and what running for another role gives up."""

import pytest
from timers import GRANTS, logged

REFUSED = [
    "set role victim", "set session authorization victim", "set session authorization postgres", "set role postgres",
    "set session_replication_role = replica", "select * from app.secret",
    "insert into pgtq.delay_0 (ev_txid, dl_queue, dl_due, ev_role) select '1', 1, now(), 10",
    "update pgtq.delay_0 set ev_role = 10", "copy pgtq.delay_0 from '/dev/null'",
    "insert into pgtq.event_template (ev_id, ev_time, ev_role) values (1, now(), 10)",
    "update pgtq.queue set queue_executor = null", "insert into pgtq.done_0 values (1, 1, false, '{1}')",
    "insert into pgtq.role values (10, 'mallory')", "select * from pgtq.carried", "delete from pgtq.history_0", "truncate pgtq.done_0",
    "select pgtq._move_due(1)", "select pgtq._turn_done()", "select pgtq._carry_due()", "select pgtq._loop_move()",
    "select pgtq._loop_tick(null)", "select pgtq._schedule(10, 'timers', now(), true, 't', 'x', null, null, null, null, 0, 0, 1, null, null, null, 'keep', null)",
    "select pgtq._take_due(10, 1)", "select pgtq._end_due(10, 1, '{1}', null, null, null)", "select pgtq._lock_role(10)",
    "select pgtq._fire(10, 1)", "select pgtq._end_timer(10, 1, 3, null, null, null)", "select setval('pgtq.done_cur_seq', 1)",
    "create table app.t1 (a int); create trigger x before insert on app.t1 for each row execute function pgtq._request_do()",
    "create view app.v1 as select * from pgtq.request; create trigger x instead of insert on app.v1 for each row execute function pgtq._request_who()",
    "create trigger x instead of insert on pgtq.request for each row execute function app.who()",
    "create rule x as on insert to pgtq.request do instead nothing", "alter view pgtq.request owner to mallory",
    "create view app.v2 as select * from pgtq.plain_request; create trigger x instead of insert on app.v2 for each row execute function pgtq._request_plain()",
    "create trigger x instead of insert on pgtq.plain_request for each row execute function app.who()",
    "create function pgtq.now() returns timestamptz language sql as 'select null::timestamptz'",
    "create event trigger e on ddl_command_end execute function app.f()", "select pgtq.next_batch('timers', 'pgtq.executor')",
    "lock table pgtq.delay", "lock table pgtq.carried", "lock table pgtq.role", "select from pgtq.role for update", "alter role victim nologin",
    "call pgtq.run_due(as_role => 'victim')", "call pgtq.ticker_loop('0', tasks => '{tick}')", "commit",
]


@pytest.fixture
def app(db):
    db.psql(GRANTS)
    db.psql("create table app.secret (x text); insert into app.secret values ('s')")
    for name in ("mallory", "victim"):
        db.psql(f"create role {name} login; grant pgtq_writer to {name}")
    db.psql("""
        create function app.who() returns trigger language plpgsql as $$
        begin
            insert into app.log (what) values (tg_argv[0] || ' ' || current_user || ' ' || session_user);
            return null;
        end $$;
        create table app.mine (a int);
        create constraint trigger late after insert on app.mine deferrable initially deferred
            for each row execute function app.who('deferred');
        create function app.hold() returns text language plpgsql as $$
        begin
            insert into app.log (what) values ('hold ' || current_user || ' ' || session_user);
            return 'x';
        end $$;
    """, user="mallory")
    yield db
    db.psql("drop owned by mallory, victim; drop role mallory, victim")


def due(db, user, actions):
    """Schedules these actions, ticks, and returns their ids."""
    with db.connect(user=user) as conn:
        ids = conn.execute("select pgtq.schedule_many(array_fill(pg_catalog.now(), array[%s]), %s::text[])", (len(actions), actions)).fetchone()[0]
    for _ in range(2):
        db.rows("select pgtq.ticker()")
        db.rows("select pgtq.force_tick('timers')")
    return ids


def states(db, ids):
    return {row[0]: row[1:] for row in db.rows("select id, state, sqlstate, error from pgtq.timers where id = any (%s)", ids)}


def test_refused(app):
    ids = due(app, "mallory", REFUSED)
    with app.connect(user="mallory") as conn:
        assert conn.execute("call pgtq.run_due()").fetchone() == (len(ids),)
    found = states(app, ids)
    gained = [(action, found[i]) for i, action in zip(ids, REFUSED)
              if found[i][0] != "failed" or found[i][1] not in ("42501", "0A000", "2D000", "42704", "42883", "22023", "P0001")]
    assert gained == []
    # not for want of a function of these arguments
    assert [action for i, action in zip(ids, REFUSED) if action.startswith("select pgtq._") and found[i][1] != "42501"] == []


def test_what_waits_for_the_commit_runs_as_the_role(app):
    due(app, "mallory", ["insert into app.mine values (1); declare c cursor with hold for select app.hold()"])
    with app.connect(user="mallory") as conn:
        assert conn.execute("call pgtq.run_due()").fetchone() == (1,)
    assert set(logged(app)) == {"deferred mallory mallory", "hold mallory mallory"}


def test_shadowing(app):
    """Objects of the role's own, first on its search_path, have no part in the bookkeeping."""
    app.psql("create schema mallory authorization mallory; alter role mallory set search_path = mallory, pg_catalog")
    app.psql("""
        create function mallory.now() returns timestamptz language sql as $$ select '2000-01-01'::timestamptz $$;
        create function mallory.clock_timestamp() returns timestamptz language sql as $$ select '2000-01-01'::timestamptz $$;
        create function mallory.cardinality(bigint[]) returns int language sql as $$ select 1/0 $$;
        create function mallory.set_config(text, text, boolean) returns text language sql as $$ select (1/0)::text $$;
        create function mallory.no(int, int) returns boolean language sql as $$ select 1/0 = 1 $$;
        create operator mallory.< (function = mallory.no, leftarg = int, rightarg = int);
        create operator mallory.= (function = mallory.no, leftarg = int, rightarg = int);
        create table mallory.history_0 (a int);
    """, user="mallory")
    ids = due(app, "mallory", ["insert into app.log (what) values ('x')", "create temp table role (a int); create temp table pg_roles (a int)",
                               "insert into app.log (what) values ('y')"])
    with app.connect(user="mallory") as conn:
        assert conn.execute("call pgtq.run_due()").fetchone() == (3,)
    assert [s[0] for s in states(app, ids).values()] == ["fired"] * 3
    assert logged(app) == ["x", "y"]


def test_a_new_role_of_the_same_name_inherits_nothing(app):
    app.psql("create role gone login; grant pgtq_writer to gone")
    due(app, "gone", ["insert into app.log (what) values ('x')"])
    app.psql("drop role gone; create role gone login; grant pgtq_writer to gone")
    with app.connect(user="gone") as conn:
        assert conn.execute("call pgtq.run_due()").fetchone() == (0,)
    app.psql("drop role gone")
    assert logged(app) == []


def test_what_as_role_gives_up(app):
    """The choice to run another role's timers: its actions can be the caller, as the docs say."""
    app.psql("grant mallory to victim")
    due(app, "mallory", ["insert into app.log (what) values ('as the role')",
                         "reset role; insert into app.log (what) values ('as the caller')"])
    with app.connect(user="victim") as conn:
        assert conn.execute("call pgtq.run_due(as_role => 'mallory')").fetchone() == (2,)
        assert conn.execute("select current_user").fetchone() == ("victim",)
    assert app.rows("select what, who from app.log order by id") == [("as the role", "mallory"), ("as the caller", "victim")]
    app.psql("revoke mallory from victim")
