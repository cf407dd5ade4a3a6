"""Moving due timers into their queue, beside an INSERT … SELECT of the same rows into such a table.

Also a look with nothing due: alone, while an open transaction holds many timers, and with many
cancelled ones in front of the next live one.
"""

import time

from workloads import DATA_100

SYSTEMS = ["pgtq_c", "pgtq_pl"]

FIGURES = {
    "moved": ("timers/s", "higher", "moved"),
    "of_insert": ("share", "higher", "moved, as a share of the rate of INSERT … SELECT"),
    "wal": ("bytes", "lower", "WAL per timer moved"),
    "look": ("ms", "lower", "nothing is due"),
    "look_open": ("ms", "lower", "nothing is due, an open transaction holds many"),
    "look_cancelled": ("ms", "lower", "nothing is due, many cancelled ones were"),
}

LOOKS = 50


def run(rep):
    count = 100_000
    many = 1_000_000 if rep.full else 100_000
    figures = {}
    with rep.connect() as conn, rep.connect() as other:
        rep.system.prepare_timers(conn)
        for _ in range(2):      # the first fills new files
            conn.execute(rep.system.schedule_many_sql(count, "interval '-1 h' + i * interval '1 us'", DATA_100))
            conn.execute("create table copied (like pgtq.event_1_0 including indexes)")
            (before,) = conn.execute("select pg_current_wal_insert_lsn()").fetchone()
            start = time.monotonic()
            (moved,) = conn.execute("select moved from pgtq._move_due(%s)", [count]).fetchone()
            took = time.monotonic() - start
            (wal,) = conn.execute("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), %s)", [before]).fetchone()
            rep.expect("timers moved", moved, count)
            start = time.monotonic()
            conn.execute("insert into copied select * from pgtq.event_1_0 where ev_txid ="
                         " (select max(ev_txid) from pgtq.event_1_0)")
            insert = time.monotonic() - start
            conn.execute("drop table copied")
        figures["moved"] = count / took
        figures["of_insert"] = insert / took
        figures["wal"] = float(wal) / count

        figures["look"] = look(conn)
        other.execute("begin")
        other.execute(rep.system.schedule_many_sql(many, "interval '1 h'", DATA_100))
        figures["look_open"] = look(conn)
        other.execute("commit")
        conn.execute(rep.system.schedule_many_sql(many, "interval '1 s'", DATA_100))
        conn.execute("select count(pgtq.cancel(ev_timer)) from pgtq.delay where dl_due < now() + interval '30 min'")
        time.sleep(1.1)
        figures["look_cancelled"] = look(conn)
    return figures, {"moved": count, "many": many}


def look(conn):
    """Milliseconds of a look, the first one left out: that may have something to learn."""
    conn.execute("select * from pgtq._move_due(10000)")
    start = time.monotonic()
    for _ in range(LOOKS):
        conn.execute("select * from pgtq._move_due(10000)")
    return (time.monotonic() - start) / LOOKS * 1000
