"""Workers stay as large as they are, however many timers they have run: PGTQ_TIMERS=1000000 for a million."""

import os

import pytest
from server import eventually

TIMERS = int(os.environ.get("PGTQ_TIMERS", 40_000))
SLICE = 10_000
MAY_GROW_KB = 1024


@pytest.fixture
def db(workspace):
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=20, synchronous_commit="off",
                          **{"pgtq.session_idle_timeout": "1h"}) as server:
        db = server.create_db()
        db.psql("create sequence ran")
        yield db


def private_kb(pid):
    """Memory that is the process's own: shared buffers, which it touches one after the other, are not."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("RssAnon:"))


def sizes(db):
    return {(kind, pid): private_kb(pid) for kind, pid in db.rows(
        "select backend_type, pid from pg_stat_activity where datname = current_database()"
        " and backend_type in ('pgtq ticker', 'pgtq executor', 'pgtq session')")}


def run(db, first, count):
    """Timers with texts of their own, one in ten of which fails and is tried again."""
    for start in range(first, first + count, SLICE):
        db.rows("select cardinality(pgtq.schedule_many(array_agg(clock_timestamp()), array_agg(format("
                "case when i %% 10 = 0 then 'select nextval(''ran'') / (%%s - %%1$s)' else 'select nextval(''ran''), %%s' end, i)),"
                " max_attempts => 2, backoff => '1 ms')) from generate_series(%s::int, %s::int) i", start, start + SLICE - 1)
        # the sequence keeps what it gave to an attempt that failed, or that was rolled back and run again
        eventually(lambda: db.value("select last_value from ran") >= (start + SLICE - 1) * 11 // 10, 240, 0.2)
        eventually(lambda: db.value("select count(*) from pgtq.timers where state in ('fired', 'failed')") == start + SLICE - 1, 240, 1)


@pytest.mark.timeout(7200)
def test_workers_do_not_grow(db):
    run(db, 1, 2 * SLICE)
    before = sizes(db)
    assert {kind for kind, _ in before} == {"pgtq ticker", "pgtq executor", "pgtq session"}
    run(db, 1 + 2 * SLICE, TIMERS // 2)
    between = sizes(db)
    run(db, 1 + 2 * SLICE + TIMERS // 2, TIMERS // 2)
    after = sizes(db)
    # what is larger once, for a larger slice than before, stays so; what leaks grows each time
    grown = {who: (between[who] - before[who], after[who] - between[who]) for who in before.keys() & between.keys() & after.keys()}
    print("grown, in kB:", grown)
    assert len(grown) >= 3 and all(min(each) < MAY_GROW_KB // 2 for each in grown.values()), grown
    assert db.value("select count(*) from pgtq.timers where state = 'failed'") == (2 * SLICE + TIMERS) // 10
