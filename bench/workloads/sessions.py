"""A backlog of timers of one role, run by one, two and four sessions of the executor."""

from cluster import eventually
from workloads.run_timers import drain

SYSTEMS = ["pgtq_timers"]
SESSIONS = (1, 2, 4)

FIGURES = {f"sessions_{n}": ("actions/s", "higher", f"backlog, {n} session{'s' * (n > 1)}") for n in SESSIONS} | {
    f"gain_{n}": ("over one", "higher", f"{n} sessions over one") for n in SESSIONS[1:]
}


def run(rep):
    number = 100_000 if rep.full else 20_000
    figures = {}
    try:
        for n in SESSIONS:
            rep.fresh_database()
            with rep.connect() as conn:
                limit(conn, n)
                conn.execute("create table sink (a int, at timestamptz default clock_timestamp())")
                rep.system.begin(rep, conn)
                eventually(lambda: rep.system.ready(conn))
                figures[f"sessions_{n}"], _ = drain(rep, conn, "format('insert into sink values (%s)', i)", number)
    finally:
        with rep.connect() as conn:
            limit(conn, None)
    for n in SESSIONS[1:]:
        figures[f"gain_{n}"] = figures[f"sessions_{n}"] / figures["sessions_1"]
    return figures, {}


def limit(conn, n):
    """The last session of a database is for a role that has none: hence one more."""
    for setting, value in (("max_sessions", n and n + 1), ("max_sessions_per_role", n)):
        conn.execute(f"alter system set pgtq.{setting} " + (f"= {value}" if n else "to default"))
    conn.execute("select pg_reload_conf()")
