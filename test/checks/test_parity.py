"""Both builds make the same objects, with the same rights and comments."""

from catalog import differences, fingerprint

# What only one build has, and why: the beginning of names as catalog.fingerprint() gives them.
IN_C = "part of the C body of _move_due()"
ONE_SIDED = {
    "function _due_rows(": IN_C,
    "function _late(": IN_C,
    "function _locked_rows(": IN_C,
    "function _move_rows(": IN_C,
    "function _still_late(": IN_C,
    "function _trigger_": "the trigger functions of the PL build; in C they are in src/triggers",
    "function _compared_as_text(": "the same",
    "function _urlencode(": "the same",
}


def test_builds_look_the_same(alone):
    found = differences(fingerprint(alone("c")), fingerprint(alone("pl")), "c", "pl")
    found = [line for line in found if not line.startswith(tuple(ONE_SIDED))]
    assert not found, "\n".join(["", *found])


def test_fingerprint_sees_a_lost_comment(alone):
    """The comparison itself: it must notice what it is there for."""
    db = alone("pl")
    before = fingerprint(db)
    name = next(n for n in before if n.startswith("function "))
    signature = db.value("""
        select p.oid::regprocedure::text from pg_proc as p
         where pronamespace = 'pgtq'::regnamespace
           and format('function %%s(%%s)', proname, pg_get_function_identity_arguments(oid)) = %s
        """, name)
    comment = db.value("select obj_description(%s::regprocedure, 'pg_proc')", signature)
    db.psql(f"comment on function {signature} is null")
    try:
        assert differences(before, fingerprint(db), "before", "after")
    finally:
        db.psql(f"comment on function {signature} is $comment${comment}$comment$")
