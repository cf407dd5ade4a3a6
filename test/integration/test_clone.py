"""Copies of a database: what is pending there fires there, once, whatever its transaction ids."""

import contextlib

import psycopg
import pytest

from server import Database

FILL = """
    select pgtq.create_queue('q'), pgtq.create_queue('empty');
    select pgtq.register_consumer('q', 'fast'), pgtq.register_consumer('q', 'slow');
    update pgtq.queue set queue_ticker_max_lag = '0', queue_ticker_idle_period = '0';
    select pgtq.insert_event('q', 't', 'one');
    select pgtq.ticker('q');
    select pgtq.insert_event('q', 't', 'two');
    select pgtq.ticker('q');
    select pgtq.insert_event('q', 't', 'not ticked');
    select pgtq.insert_event_in('q', '-1 s', 't', 'due');
    select pgtq.insert_event_in('q', '1 h', 't', 'later');
    set role app;
    select pgtq.schedule_in('1 h', 'select 1'), pgtq.schedule_in('2 h', 'select 2', key => 'k');
    select pgtq.cancel(3);
    reset role;
"""


def consume(conn, consumer, finish=True):
    """ev_data of all there is, without what was read and not finished."""
    got = []
    while True:
        (batch,) = conn.execute("select pgtq.next_batch('q', %s)", (consumer,)).fetchone()
        if batch is None:
            return got
        got += [row[0] for row in conn.execute("select ev_data from pgtq.get_batch_events(%s)", (batch,))]
        if not finish:
            return got
        conn.execute("select pgtq.finish_batch(%s)", (batch,))




def fill(db):
    """A queue whose consumers have come differently far, one with an open batch."""
    with db.connect() as conn:
        if not conn.execute("select from pg_roles where rolname = 'app'").fetchall():
            conn.execute("create role app in role pgtq_writer")
    db.psql(input=FILL)
    with db.connect() as conn:
        (batch,) = conn.execute("select pgtq.next_batch('q', 'fast')").fetchone()
        conn.execute("select pgtq.finish_batch(%s)", (batch,))
        conn.execute("select pgtq.event_retry(%s, 2, 0)",
                     conn.execute("select pgtq.next_batch('q', 'fast')").fetchone())


def check(copy, expect_role="app"):
    with copy.connect() as conn:
        for _ in range(3):
            conn.execute("select pgtq.ticker()")
        assert sorted(consume(conn, "fast")) == ["due", "not ticked", "two", "two"]
        assert sorted(consume(conn, "slow")) == ["due", "not ticked", "one", "two"]
        assert consume(conn, "fast") == consume(conn, "slow") == []
        conn.execute("select pgtq.insert_event('q', 't', 'new')")
        conn.execute("select pgtq.ticker()")
        assert consume(conn, "fast") == consume(conn, "slow") == ["new"]
        assert conn.execute("select state, count(*) from pgtq.timers where queue = 'timers'"
                            " group by 1 order by 1").fetchall() == [("cancelled", 1), ("pending", 1)]
        if expect_role:
            assert conn.execute("select distinct scheduled_by from pgtq.timers"
                                " where queue = 'timers'").fetchall() == [(expect_role,)]
        conn.execute("set pgtq.clock_offset = '3 hours'")
        conn.execute("select pgtq.ticker()")
        conn.execute("select pgtq.ticker()")
        assert consume(conn, "fast") == consume(conn, "slow") == ["later"]
        assert conn.execute("select count(*) from pgtq.delay").fetchone() == (0,)
        # and the rings turn: nothing from the other life keeps them
        conn.execute("update pgtq.queue set queue_rotation_period = '0'")
        for _ in range(4):
            conn.execute("select pgtq.maint_rotate_tables_step1('q')")
            conn.execute("select pgtq.ticker()")
        consume(conn, "fast"), consume(conn, "slow")
        for _ in range(4):
            conn.execute("select pgtq.maint_rotate_tables_step1('q')")
            conn.execute("select pgtq.ticker()")
            consume(conn, "fast"), consume(conn, "slow")
        assert conn.execute("select count(*) from pgtq.event_template where ev_data = 'two'").fetchone() == (0,)


@pytest.fixture(scope="module")
def old_server(workspace):
    """One with higher transaction ids than a new server has."""
    with workspace.server() as server:
        with server.connect() as conn:
            conn.execute("create procedure burn() language plpgsql as $$ begin"
                         " for i in 1 .. 20000 loop perform pg_current_xact_id(); commit; end loop; end $$")
            conn.execute("call burn()")
        yield server


@pytest.mark.parametrize("younger", [True, False])
@pytest.mark.parametrize("form", ["plain", "custom"])
def test_restore(workspace, old_server, build, form, younger):
    with workspace.server() as new_server:
        source, target = (old_server, new_server) if younger else (new_server, old_server)
        db = source.create_db(build=build)
        fill(db)
        file = workspace.path / f"clone_{db.name}_{build}_{form}_{younger}"
        workspace.run("pg_dump", "-d", db.conninfo(), "-F", form, "-f", file)
        with target.connect() as conn:
            conn.execute("drop database if exists copy with (force)")
            conn.execute("create database copy template template0")
            # other oids than in the source
            conn.execute("create role padding; drop role padding")
            for name in ("pgtq_reader", "pgtq_writer", "pgtq_admin", "app"):
                with contextlib.suppress(psycopg.errors.DuplicateObject):
                    conn.execute(f"create role {name}")
            conn.execute("grant pgtq_reader, pgtq_writer to pgtq_admin; grant pgtq_writer to app")
        if form == "plain":
            target.psql("copy", file=file)
        else:
            workspace.run("pg_restore", "--exit-on-error", "-d", target.conninfo("copy"), file)
        copy = Database(target, "copy", build)
        check(copy)
        copy.drop()
        db.drop()


def test_template(server, build):
    db = server.create_db(build=build)
    fill(db)
    with server.connect() as conn:
        conn.execute(f"create database {db.name}_copy template {db.name}")
    copy = Database(server, f"{db.name}_copy", build)
    check(copy)
    copy.drop()
    # the original goes on as if nothing had been
    with db.connect() as conn:
        for _ in range(3):
            conn.execute("select pgtq.ticker()")
        assert sorted(consume(conn, "slow")) == ["due", "not ticked", "one", "two"]
    db.drop()


def test_what_has_run_does_not_run_again(server, build):
    """The executor is ahead of its position; the done log goes with the copy."""
    db = server.create_db(build=build)
    with db.connect() as conn:
        conn.execute("create table ran (n integer)")
        for n in range(3):
            conn.execute("select pgtq.schedule_in('0', format('insert into ran values (%%s)', %s::integer))", (n,))
        conn.execute("select pgtq.ticker()")
        conn.execute("select pgtq.ticker()")
        conn.execute("call pgtq.run_due(2)")
        assert conn.execute("select count(*) from ran").fetchone() == (2,)
        # one more consumer, so that not all have read them
        conn.execute("select pgtq.register_consumer('timers', 'other')")
    with server.connect() as conn:
        conn.execute(f"create database {db.name}_copy template {db.name}")
    copy = Database(server, f"{db.name}_copy", build)
    with copy.connect() as conn:
        for _ in range(3):
            conn.execute("select pgtq.ticker()")
        conn.execute("call pgtq.run_due()")
        assert sorted(conn.execute("select n from ran")) == [(0,), (1,), (2,)]
    copy.drop()
    db.drop()


def test_pause(server, build):
    db = server.create_db(build=build)
    fill(db)
    with server.connect() as conn:
        conn.execute(f"create database {db.name}_copy template {db.name}")
        conn.execute(f"alter database {db.name}_copy set pgtq.on_clone = 'pause'")
    copy = Database(server, f"{db.name}_copy", build)
    with copy.connect() as conn:
        ticks = conn.execute("select count(*) from pgtq.tick").fetchone()
        for _ in range(3):
            conn.execute("select pgtq.ticker()")
        assert conn.execute("select count(*) from pgtq.tick").fetchone() == ticks
        assert conn.execute("select count(*) from pgtq.delay where dl_due < now()").fetchone()[0] > 0
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            conn.execute("select pgtq.schedule_in('1 h', 'select 1')")
        # nor is it for a role that schedules to say
        conn.execute(f"create role {db.name}_writer in role pgtq_writer; set role {db.name}_writer")
        with pytest.raises((psycopg.errors.ObjectNotInPrerequisiteState, psycopg.errors.InsufficientPrivilege)):
            conn.execute("set pgtq.on_clone = 'run'")
            conn.execute("select pgtq.schedule_in('1 h', 'select 1')")
        conn.execute(f"reset role; reset pgtq.on_clone; drop role {db.name}_writer")
        conn.execute("select pgtq.adopt()")
        assert conn.execute("select pgtq.adopt()").fetchone() == (0,)
    check(copy)
    copy.drop()
    db.drop()
