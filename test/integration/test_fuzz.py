"""Calls of every public function with what nobody would give it: a result or a proper error, and never more rights.

PGTQ_FUZZ=full: 10,000 calls for each role, and values of hundreds of megabytes.  PGTQ_SEED=n repeats a run; the seed
is printed when something is found.
"""

import os
import random

import psycopg
import pytest
from timers import GRANTS

FULL = os.environ.get("PGTQ_FUZZ") == "full"
SEED = int(os.environ.get("PGTQ_SEED") or random.randrange(10**9))
CALLS = 10000 if FULL else 300

VALUES = {
    "text": ["", "q", "timers", "c", "pgtq.executor", "nosuch", "'", "\\", "a'b\"c\\", "$1", "%s%n", "pgtq.timer_id_seq", "public.secret",
             "pg_catalog.pg_authid", "; drop table public.secret; --", "é" * 300, "x" * 70000, "{}", "{1,2}", "NaN", "select 1",
             "select 1/0", "begin", "commit", "keep", "replace", "update", "ticker_max_lag", "rotation_period", "1 hour", "-1", "null",
             "\u202e\ufeff", "pg_temp.x", '"', "a.b.c.d", "select * from public.secret"],
    "integer": [0, 1, -1, 2, 7, 2**31 - 1, -2**31],
    "bigint": [0, 1, -1, 2, 3, 2**31, 2**63 - 1, -2**63],
    "boolean": [True, False],
    "interval": ["0", "1 s", "-1 s", "1 hour", "178000000 years", "-178000000 years", "1 month -30 days"],
    "timestamp with time zone": ["now", "epoch", "infinity", "-infinity", "4713-01-01 BC", "294276-12-31", "2100-01-01"],
    "pg_snapshot": ["1:1:", "1:9223372036854775807:", "5:10:5,7"],
    "regclass": ["pg_catalog.pg_class", "public.secret", "public.mine", "pgtq.queue", "pgtq.request"],
    "oid": [0, 10, 2**32 - 1], "name": ["", "x"], "oid[]": [[0]],
}
SCALAR = {"timestamp with time zone[]": "timestamp with time zone", "text[]": "text", "bigint[]": "bigint", "integer[]": "integer"}
# what these would do is what they are for; they are tried elsewhere
LEFT_OUT = {"wait_batch", "ticker_loop", "start", "stop"}


class Caller:
    def __init__(self, db, role, rng):
        self.db, self.role, self.rng = db, role, rng
        self.conn = None

    def value(self, type):
        if self.rng.random() < 0.15:
            return None
        if type in SCALAR:
            return [self.value(SCALAR[type]) for _ in range(self.rng.randrange(4))]
        return self.rng.choice(VALUES.get(type, ["", "1"]))

    def call(self, function, kind, types):
        if self.conn is None:
            self.conn = self.db.connect(user=self.role)
            self.conn.execute("set statement_timeout = '20s'")
        types = types[:self.rng.randrange(len(types) + 1)] if self.rng.random() < 0.1 else types
        if self.rng.random() < 0.05 and types:
            types = [self.rng.choice(list(VALUES)) for _ in types]
        values = [self.value(t) for t in types]
        arguments = ", ".join(f"%s::{t}" for t in types)
        verb = "call" if kind == "p" else "select * from"
        self.said = f"{verb} pgtq.{function}({arguments}) with {str(values)[:300]} as {self.role}"
        try:
            self.conn.execute(f"{verb} pgtq.{function}({arguments})", values)
        except psycopg.errors.QueryCanceled:
            raise AssertionError("a call did not end") from None
        except psycopg.Error as error:
            state = error.sqlstate
            assert state and not state.startswith(("XX", "57", "58", "08")), (state, str(error))
            # not what a bug inside gives: a relation that is not there, an ambiguous name, a function without RETURN
            assert function.startswith("seq_") or not state.startswith(("42P01", "42702", "39", "2F")), (state, str(error))

    def close(self):
        if self.conn:
            self.conn.close()


@pytest.fixture
def arena(db):
    db.psql(GRANTS + f"""
        create table public.secret (x text); insert into public.secret values ('s');
        create role {db.name}_writer login in role pgtq_writer; create role {db.name}_reader login in role pgtq_reader;
        create role {db.name}_admin login in role pgtq_admin; create role {db.name}_nobody login; create role {db.name}_victim login in role pgtq_writer;
        create table public.mine (id integer primary key); alter table public.mine owner to {db.name}_writer;
        grant usage, create on schema public to {db.name}_writer;
        select pgtq.create_queue('q'); select pgtq.register_consumer('q', 'c');
        set session authorization {db.name}_victim;
        select pgtq.schedule_in('10 years', 'insert into app.log (what) values (1)', key => 'a') from generate_series(1, 3);
        reset session authorization;""")
    yield db
    roles = ", ".join(f"{db.name}_{name}" for name in ("writer", "reader", "admin", "nobody", "victim"))
    db.psql(f"drop owned by {roles} cascade; drop role {roles}")


def public_functions(db):
    return db.rows("""
        select p.proname, p.prokind, array(select format_type(t, null) from unnest(p.proargtypes::oid[]) t)
          from pg_proc p where p.pronamespace = 'pgtq'::regnamespace and p.prorettype not in ('trigger'::regtype)
           and p.proname !~ '^_' order by p.oid::regprocedure::text""")


# what must be the same afterwards, whatever a role without the right to change it has called
GUARDED = {
    "writer": "select count(*), min(x) from public.secret",
    "victim's timers": "select array_agg(ev_timer order by ev_timer) from pgtq.delay where ev_role = '{0}_victim'::regrole",
    "queues": "select array_agg(queue_name order by 1) from pgtq.queue where queue_name in ('q', 'timers')",
    "roles": "select array_agg(rolname order by 1) from pg_roles where rolsuper or rolcreaterole",
    "grants": "select array_agg(c.relname || c.relacl::text order by 1) from pg_class c where relnamespace = 'pgtq'::regnamespace",
}


@pytest.mark.timeout(3600 if FULL else 300)
@pytest.mark.parametrize("who", ["nobody", "writer", "reader", "admin"])
def test_calls(arena, who):
    rng = random.Random(f"{SEED} {who}")
    functions = [f for f in public_functions(arena) if f[0] not in LEFT_OUT]
    assert len(functions) > 50
    before = {name: arena.rows(query.format(arena.name)) for name, query in GUARDED.items()}
    started = arena.value("select pg_postmaster_start_time()")
    caller = Caller(arena, f"{arena.name}_{who}", rng)
    try:
        for _ in range(CALLS):
            caller.call(*rng.choice(functions))
    except (AssertionError, psycopg.Error) as error:
        raise AssertionError(f"PGTQ_SEED={SEED}: {caller.said}: {error}") from error
    finally:
        caller.close()
    after = {name: arena.rows(query.format(arena.name)) for name, query in GUARDED.items()}
    if who == "admin":      # who may drop queues
        after, before = ({name: value for name, value in x.items() if name in ("writer", "roles")} for x in (after, before))
    assert after == before, f"PGTQ_SEED={SEED}"
    assert arena.value("select pg_postmaster_start_time()") == started
    assert "TRAP:" not in arena.server.log() and "terminated by signal" not in arena.server.log()


@pytest.mark.skipif(not FULL, reason="PGTQ_FUZZ=full")
@pytest.mark.parametrize("megabytes", [1, 200, 500])
def test_very_large(arena, megabytes):
    """What fits is kept, what does not is refused; nothing breaks."""
    big = f"repeat('x', {megabytes} * 1024 * 1024)"
    with arena.connect(user=f"{arena.name}_writer") as conn:
        for call in (f"pgtq.schedule_in('1 h', {big} || 'x')", f"pgtq.schedule_in('1 h', 'select 1', key => {big})",
                     f"pgtq.schedule_in('1 h', 'select 1', queue => {big})", f"pgtq.schedule_in('1 h', 'select 1', on_conflict => {big})",
                     f"pgtq.insert_event({big}, 't', 'd')", f"pgtq.cancel_key({big}, {big})",
                     f"pgtq.schedule_many(array[now()], array[{big} || 'x'])"):
            try:
                conn.execute(f"select {call}")
            except psycopg.Error as error:
                assert error.sqlstate[:2] in ("22", "42", "54"), (call, str(error)[:200])
        assert conn.execute(f"select pgtq.insert_event('q', 't', {big})").fetchone()[0] > 0
