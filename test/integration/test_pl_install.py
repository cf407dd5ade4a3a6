"""pgtq_pl_only.sql and its companions, under the role that a hosted server gives its customer."""

import itertools

import pytest
from catalog import differences, fingerprint

from server import Database

NUMBERS = itertools.count(1)


class Customer(Database):
    """A database that belongs to an ordinary role, customer, and what psql does there for that role."""

    def __init__(self, server, options):
        super().__init__(server, f"hosted{next(NUMBERS)}", "pl")
        server.psql("postgres", f"create role customer login {options}")
        server.psql("postgres", f"create database {self.name} owner customer")

    def run(self, script, args=("--single-transaction",), check=True):
        """As anybody would call it: psql is not told to stop at errors."""
        done = self.server.workspace.run(
            "psql", "-X", "-q", *args, "-f", self.server.build.src / f"pgtq_pl_only.{script}",
            "-d", self.conninfo("customer"), check=check)
        return done.stderr

    def ask(self, query, user="customer"):
        with self.connect(user=user) as conn:
            cursor = conn.execute(query)
            return cursor.fetchall() if cursor.description else []


def hosted(options):
    @pytest.fixture
    def make(workspace):
        with workspace.server() as server:
            yield Customer(server, options)
    return make


customer = hosted("createrole")
poor = hosted("")


def use(db):
    """A timer that fires, and one that stays."""
    db.ask("select pgtq.schedule_in('0', 'create table if not exists fired (a int)'), pgtq.schedule_in('1 h', 'select 1')")
    db.ask("call pgtq.ticker_loop('100 milliseconds')")
    assert db.ask("select to_regclass('fired') is not null") == [(True,)]


def test_customer(customer):
    assert customer.run("sql") == ""
    use(customer)
    assert customer.rows("select rolname from pg_roles where rolsuper") == [("postgres",)]


def test_installer_administers(customer):
    """Its loop ticks and maintains, whether or not it has granted itself pgtq_admin."""
    customer.run("sql")
    assert "tick,maintain,run" in customer.ask("select pgtq.start()")[0][0]
    customer.psql("create role app login; grant pgtq_writer to app")
    assert "'{run}'" in customer.ask("select pgtq.start()", "app")[0][0]


def test_without_createrole(poor):
    assert "may not make the roles" in poor.run("sql", check=False)
    assert poor.rows("select from pg_namespace where nspname = 'pgtq'") == []
    poor.psql("create role pgtq_reader; create role pgtq_writer; create role pgtq_admin in role pgtq_reader, pgtq_writer")
    assert poor.run("sql") == ""
    use(poor)
    assert "role pgtq_admin stays" in poor.run("uninstall.sql")


@pytest.mark.parametrize("args", [(), ("--single-transaction",)])
@pytest.mark.parametrize("script", ["sql", "upgrade.sql"])
def test_again(customer, script, args):
    customer.run("sql")
    use(customer)
    before, catalog = state(customer), fingerprint(customer)
    customer.psql("create or replace function pgtq.version() returns text language sql immutable as $$ select 'old' $$", user="customer")
    assert customer.run(script, args) == ""
    assert state(customer) == before
    assert differences(catalog, fingerprint(customer), "before", "after") == []
    assert customer.ask("select pgtq.version() <> 'old'") == [(True,)]
    use(customer)


def state(db):
    """All rows and sequences of pgtq's."""
    names = db.rows("select c.oid::regclass::text, relkind::text from pg_class c"
                    " where relnamespace = 'pgtq'::regnamespace and relkind in ('r', 'S')")
    return {name: db.rows(f"select last_value, is_called from {name}" if kind == "S" else f"select t::text from only {name} t order by 1")
            for name, kind in names}


def test_broken_off(customer):
    """What cannot be completed is not there at all, though nobody told psql to stop at errors."""
    customer.psql("create role pgtq_reader; create table public.x ()")
    customer.psql("alter role customer nocreaterole")
    assert "may not make the roles" in customer.run("sql", check=False)
    assert customer.rows("select from pg_namespace where nspname = 'pgtq'") == []


def test_not_into_a_foreign_schema(customer):
    """Whoever owns the schema could replace what is put into it."""
    customer.psql("create role mallory; grant create on database {0} to mallory;"
                  "set role mallory; create schema pgtq; grant all on schema pgtq to customer".format(customer.name))
    assert "belongs to role mallory" in customer.run("sql", check=False)
    customer.psql("alter schema pgtq owner to customer")
    assert "not pgtq's" in customer.run("sql", check=False)
    assert customer.rows("select from pg_proc where pronamespace = 'pgtq'::regnamespace") == []


def test_not_over_the_extension(customer):
    customer.psql("create extension pgtq")
    for script in ("sql", "upgrade.sql", "uninstall.sql"):
        assert "is an extension" in customer.run(script, check=False)
    assert customer.rows("select from pg_proc where pronamespace = 'pgtq'::regnamespace"
                         " and proname = 'cancel' and prosrc = 'pgtq_cancel'") == [()]


def test_uninstall(customer):
    everything = "select count(*), max(oid) from pg_class union all select count(*), max(oid) from pg_proc"
    before = customer.rows(everything)
    customer.run("sql")
    use(customer)
    customer.ask("drop table fired; select pgtq.create_queue('q')")
    assert "ERROR" not in customer.run("uninstall.sql")
    assert customer.rows(everything) == before
    assert customer.rows("select from pg_roles where rolname like 'pgtq%'") == []
    assert "ERROR" not in customer.run("uninstall.sql")
    customer.run("sql")
    use(customer)


def test_uninstall_refuses_what_others_need(customer):
    customer.run("sql")
    customer.ask("""
        create table t (a int primary key);
        create trigger changes after insert on t for each row execute function pgtq.jsontriga('q');
        create view mine as select id from pgtq.timers;
    """)
    use(customer)
    said = customer.run("uninstall.sql", check=False)
    assert "trigger changes on table" in said and "view public.mine" in said
    use(customer)
    customer.ask("drop view mine; drop table t")
    assert "ERROR" not in customer.run("uninstall.sql")


def test_uninstall_keeps_roles_that_are_needed(customer):
    """Another database, a table of the application: roles belong to the whole server."""
    customer.run("sql")
    customer.ask("create table t (a int); grant select on t to pgtq_reader")
    customer.rows("create database other")
    customer.server.install("other", "pl")
    said = customer.run("uninstall.sql")
    for role in ("reader", "writer", "admin"):
        assert f"role pgtq_{role} stays" in said
    assert "privileges for table public.t" in said
    customer.server.psql("other", file=customer.server.build.src / "pgtq_pl_only.uninstall.sql")
    assert customer.rows("select rolname from pg_roles where rolname like 'pgtq%'") == [("pgtq_reader",)]
