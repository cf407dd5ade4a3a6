"""The same as held_snapshot, beside an idle transaction that has a transaction id and no snapshot.

PgQ's rotation waits for it, whatever it does elsewhere; VACUUM of the others does not.
"""

from workloads import held_snapshot
from workloads.held_snapshot import FIGURES, SERIES, SYSTEMS  # noqa: F401


def hold(conn):
    conn.execute("begin")
    conn.execute("select pg_current_xact_id()")


def run(rep):
    return held_snapshot.run(rep, hold)
