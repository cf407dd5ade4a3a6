"""The torture, for a minute: see test/torture.  PGTQ_TORTURE_SEED gives its seed; PGTQ_TORTURE=full makes it a quarter of an hour, and
plants bugs that it has to find."""

import os
import random

import pytest

from torture.run import Torture

SECONDS = 900 if os.environ.get("PGTQ_TORTURE") == "full" else 55


@pytest.mark.timeout(SECONDS + 245)
def test_torture(workspace, build, record_property):
    """What fails says how to see it again."""
    seed = os.environ.get("PGTQ_TORTURE_SEED") or str(random.randrange(10**6))
    torture = Torture(workspace, build, seed, SECONDS, patience=150)
    try:
        torture.go()
    finally:
        record_property("note", torture.summary())


# what is planted: the file, what is replaced in it and by what, and what the model says of it
PLANTED = {
    "a mark is left out": ("execute/pgtq._end_due.sql", "where e not in (select ev_id from gone) having",
                           "where e not in (select ev_id from gone) and e % 16 <> 0 having", "ran more than once|not done"),
    "late commits are forgotten": ("delay/pgtq._due_rows.sql", "if _ended is not null then", "if false then", "overdue"),
    "an event is truncated": ("rotate/pgtq._reclaim_table.sql", "_slow := pgtq._slowest_tick(i_queue_id);",
                              "select * into _slow from pgtq._ticks(i_queue_id, null, true, 1);", "not done|not found"),
    "a schedule is planned twice": ("recur/pgtq._plan_run.sql", "_run.next := null;", "", "2 runs|more than one next run"),
}


@pytest.mark.skipif(os.environ.get("PGTQ_TORTURE") != "full", reason="PGTQ_TORTURE=full finds what is planted")
@pytest.mark.parametrize("bug", PLANTED)
def test_finds(workspace, bug):
    """The model would notice."""
    file, old, new, said = PLANTED[bug]

    def plant(tree):
        path = tree / "functions" / file
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    torture = Torture(workspace, "pl", "planted", 120, patience=45, of_build=workspace.variant(plant))
    with pytest.raises(AssertionError, match=said):
        torture.go()
