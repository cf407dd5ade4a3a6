"""What the tests of the executor have in common."""

import contextlib

from server import eventually

GRANTS = """
    create schema app;
    grant usage, create on schema app to public;
    create table app.log (id bigint generated always as identity, what text, who text default current_user,
                          session text default session_user, at timestamptz default clock_timestamp());
    grant select, insert on app.log to public;
"""


@contextlib.contextmanager
def role(db, name):
    """A role that may schedule, and nothing else."""
    db.psql(f"create role {name} login; grant pgtq_writer to {name};")
    try:
        yield name
    finally:
        drop_role(db, name)


def drop_role(db, name):
    eventually(lambda: not db.rows("select from pg_stat_activity where usename = %s"
                                   " and state = 'active'", name))
    db.psql(f"drop owned by {name}; drop role {name};")


def schedule(db, action, user="postgres", delay="0", **options):
    """Schedules an action, and returns the id of the timer."""
    names = "".join(f", {name} => %s" for name in options)
    with db.connect(user=user) as conn:
        return conn.execute(f"select pgtq.schedule_in(%s::interval, %s{names})",
                            (delay, action, *options.values())).fetchone()[0]


def outcome(db, timer):
    """State, SQLSTATE, error and attempts of a timer that is done."""
    def done():
        return db.rows("select state, sqlstate, error, attempts from pgtq.timers"
                       " where id = %s and state not in ('pending', 'due')", timer)
    return eventually(done, 60)[0]


def logged(db):
    return [row[0] for row in db.rows("select what from app.log order by id")]
