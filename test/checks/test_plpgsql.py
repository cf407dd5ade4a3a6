"""plpgsql_check has nothing to say about any PL/pgSQL function of either build."""

import pytest

from server import BUILDS

# What it may say: (function, words of the message), and why that is fine. It
# knows pg_catalog's quoting functions, not ours, so every function that builds
# SQL with ours stands here, to be looked at by a human once.
INJECTION = "text type variable is not sanitized"
QUOTED = "names go through quote_fqname() or are made of numbers"
CRON = "pg_cron is not in this database; the function looks before it calls"
EXPECTED = {
    ("_create_ring_table", INJECTION): QUOTED,
    ("_drop_table", INJECTION): QUOTED,
    ("_lock_ticker", INJECTION): QUOTED,
    ("_ticks", INJECTION): QUOTED,
    ("_reclaim_table", INJECTION): QUOTED,
    ("drop_queue", INJECTION): QUOTED,
    ("grant_perms", INJECTION): QUOTED,
    ("seq_getval", INJECTION): QUOTED,
    ("tune_storage", INJECTION): QUOTED,
    ("_events_since", INJECTION): "_ring_sql() puts in tables as regclass",
    ("_events_since", "unused parameter"): "the C body needs it",
    ("_adopt_queue", INJECTION): QUOTED,
    ("_store_retries", INJECTION): "_current_table() returns a quoted name, and the query is our own",
    ("_move_rows", INJECTION): "made of catalog names, and _current_table() returns a quoted name",
    ("_due_rows", "is maybe unmodified"): "the columns come from dynamic SQL",
    ("_take_timer", "control reached end"): "its loop ends by RETURN only",
    ("_take_timer", "cannot determinate a result"): "RETURNING * of a generation is a row of delay",
    ("fire", INJECTION): "the caller's own action, run with the caller's rights",
    ("_run_statement", INJECTION): "the caller's own job, run with the caller's rights",
    ("_run_statement", "cannot determinate a result"): "whatever the job returns",
    ("_end_due", INJECTION): "made of catalog names and _ring_sql()",
    ("_end_due", "cannot determinate a result"): "a row of an event table is a row of delay, with what follows",
    ("_reclaim_ring", INJECTION): "the query is our own, and gets a number",
    ("_undone", INJECTION): "made of the names of tables of a ring",
    ("_cron_day_item", "composite OUT variable"): "it returns two things",
    ("_check_connection", "unused parameter"): "the C body needs them",
    ("_wake_jobs", "unused parameter"): "the C body needs it",
    ("cancel", "unused parameter"): "for timers that are distributed over servers",
    ("get_batch_cursor", INJECTION): "the caller's own SQL, run with the caller's rights",
    ("_trigger_event", INJECTION): "SQL of the trigger's owner, run with the rights of whoever changes the table",
    ("_trigger_timer", INJECTION): "the same",
    ("create_timer_trigger", INJECTION): "the caller's own SQL, and names in quotes, run with the caller's rights",
    ("_current_table", "control reached end"): "its loop ends by RETURN only",
    ("wait_batch", "control reached end"): "its loop ends by RETURN only",
    ("start", "does not exist"): CRON,
    ("stop", "does not exist"): CRON,
    ("_trim_cron_log", "does not exist"): CRON,
    ("get_batch_cursor", "is maybe unmodified"): "the columns come from dynamic SQL",
    ("get_batch_events", "is maybe unmodified"): "the columns come from dynamic SQL",
}

# Newer versions look at volatility, too: for them a text that is cast to a number depends on settings.
VOLATILITY = "routine is marked as"
CONSTANT = ("_cron_day_item", "_cron_item", "_parse_cron",      # of their text alone
            "_home",                                            # see there
            "_trigger_timer_key")                               # of the catalog

CHECK = """
    select p.oid::regprocedure::text, c.lineno, c.level, c.sqlstate, c.message, c.detail, c.hint
      from pg_proc as p
      join pg_language as l on l.oid = p.prolang and l.lanname = 'plpgsql'
      left join pg_trigger as t on t.tgfoid = p.oid and not t.tgisinternal
     cross join lateral plpgsql_check_function_tb(
               p.oid,
               relid => case when p.prorettype = 'trigger'::regtype
                             then coalesce(t.tgrelid, 'pg_temp.scratch'::regclass) else 0 end,
               fatal_errors => false, other_warnings => true, extra_warnings => true,
               performance_warnings => false, security_warnings => true) as c
     where p.pronamespace = 'pgtq'::regnamespace
     order by 1, 2
"""


def prepare(db):
    if not db.rows("select from pg_available_extensions where name = 'plpgsql_check'"):
        pytest.skip("this server has no plpgsql_check")
    db.psql("create schema if not exists checks;"
            "create extension if not exists plpgsql_check schema checks")
    return db


@pytest.fixture
def checked_db(alone, build):
    return prepare(alone(build))


def complaints(db):
    with db.connect() as conn:
        conn.execute("set search_path = pg_catalog, checks")
        conn.execute("create temp table scratch (id int primary key, data text)")
        return conn.execute(CHECK).fetchall()


def expectation(complaint):
    """The entry of EXPECTED that a complaint falls under, or None."""
    function, message = complaint[0], complaint[4]
    for name, words in EXPECTED:
        if function.startswith(f"pgtq.{name}(") and words in message:
            return name, words
    return None


def test_plpgsql_check_is_content(checked_db):
    found = [c for c in complaints(checked_db) if not expectation(c)
             and not (c[4].startswith(VOLATILITY) and c[0].startswith(tuple(f"pgtq.{name}(" for name in CONSTANT)))]
    assert not found, "\n".join(
        ["", *(" | ".join(str(x) for x in c if x is not None) for c in found)])


def test_nothing_is_expected_in_vain(alone):
    """An entry that no build needs any more would hide the next fault there."""
    seen = {expectation(c) for build in BUILDS for c in complaints(prepare(alone(build)))}
    assert EXPECTED.keys() - seen == set()


def test_plpgsql_check_is_awake(checked_db):
    """A function with a fault in it is complained of."""
    checked_db.psql("create function pgtq.faulty() returns void language plpgsql"
                    " as $$ begin perform nosuch from pgtq.nosuch; end $$")
    try:
        assert [c for c in complaints(checked_db) if c[0] == "pgtq.faulty()"]
    finally:
        checked_db.psql("drop function pgtq.faulty()")
