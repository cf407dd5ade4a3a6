"""Nobody has a right that structure/grants.ini does not give."""

import pytest


@pytest.fixture
def db(alone, build):
    return alone(build)


def names(db, query):
    return [row[0] for row in db.rows(query)]


def test_security_definer_has_a_search_path(db):
    """Else whoever can create an object can run it as the owner."""
    assert names(db, """
        select oid::regprocedure::text from pg_proc
         where pronamespace = 'pgtq'::regnamespace and prosecdef
           and not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false)
    """) == []


def test_public_may_run_nothing(db):
    assert names(db, """
        select p.oid::regprocedure::text
          from pg_proc as p, aclexplode(coalesce(proacl, acldefault('f', proowner))) as a
         where pronamespace = 'pgtq'::regnamespace and a.grantee = 0
    """) == []


def test_public_may_touch_nothing(db):
    assert names(db, """
        select c.oid::regclass::text
          from pg_class as c, aclexplode(relacl) as a
         where relnamespace = 'pgtq'::regnamespace and a.grantee = 0
        union
        select c.oid::regclass::text || '.' || attname
          from pg_class as c join pg_attribute on attrelid = c.oid, aclexplode(attacl) as a
         where relnamespace = 'pgtq'::regnamespace and a.grantee = 0
        union
        select 'the schema' from pg_namespace, aclexplode(nspacl) as a
         where nspname = 'pgtq' and a.grantee = 0
    """) == []


def test_everything_has_a_comment(db):
    db.rows("select pgtq.create_queue('q')")
    assert names(db, """
        select p.oid::regprocedure::text from pg_proc as p
         where pronamespace = 'pgtq'::regnamespace
           and obj_description(p.oid, 'pg_proc') is null
        union all
        select c.oid::regclass::text from pg_class as c
         where relnamespace = 'pgtq'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
           and obj_description(c.oid, 'pg_class') is null
        union all
        select typname from pg_type as t
         where typnamespace = 'pgtq'::regnamespace and typtype in ('d', 'e', 'r')
           and obj_description(t.oid, 'pg_type') is null
    """) == []


def test_pl_build_needs_no_superuser(workspace):
    """A hosted server gives its customer a database and CREATEROLE, no more."""
    with workspace.server() as server:
        server.psql("postgres", "create role customer login createrole")
        server.psql("postgres", "create database hosted owner customer")
        server.psql("hosted", file=workspace.main.pl_script, user="customer",
                    args=["--single-transaction"])
        # again, as an upgrade to the same version
        server.psql("hosted", file=workspace.main.src / "pgtq_pl_only.upgrade.sql",
                    user="customer", args=["--single-transaction"])


def test_views_of_users_tell_what_their_columns_are(db):
    assert names(db, """
        select c.relname || '.' || attname
          from pg_class as c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
         where relnamespace = 'pgtq'::regnamespace
           and relname in ('timers', 'upcoming', 'running', 'attempts', 'dead_letters', 'queue_stats', 'consumer_stats',
                           'lateness', 'ticker_stats', 'subscription')
           and col_description(c.oid, attnum) is null
    """) == []


def test_internal_functions_say_so(db):
    """What begins with an underscore is marked in \\df+, and nothing else is."""
    assert names(db, """
        select proname from pg_proc
         where pronamespace = 'pgtq'::regnamespace
           and (proname ~ '^_') <> (obj_description(oid, 'pg_proc') ~ '^Internal: ')
    """) == []
