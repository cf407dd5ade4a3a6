"""A consumer for the tests of the workers."""

import threading
import time

# A minute is what the workers need to find out by themselves what nobody has told them. So
# whoever waits longer than this has not been woken.
SOON = 20


def batch(conn, timeout="1 hour", queue="q", consumer="c"):
    """Waits for one batch: the data of its events, or None if none came."""
    (batch_id,) = conn.execute("select pgtq.wait_batch(%s, %s, %s)",
                               (queue, consumer, timeout)).fetchone()
    if batch_id is None:
        return None
    events = [data for (data,) in conn.execute(
        "select ev_data from pgtq.get_batch_events(%s)", (batch_id,))]
    conn.execute("select pgtq.finish_batch(%s)", (batch_id,))
    return events


def events(conn, count, **kwargs):
    """Waits for batches until there are that many events; empty batches are none."""
    found = []
    started = time.monotonic()
    while len(found) < count:
        got = batch(conn, **kwargs)
        assert got is not None, f"only {found}"
        found += got
    assert time.monotonic() - started < SOON, f"{found} came late"
    return found


class Background(threading.Thread):
    """Runs a function; result() waits for it, and raises what it raised."""

    def __init__(self, function, *args):
        super().__init__(daemon=True)
        self.function, self.args, self.value, self.error = function, args, None, None
        self.start()

    def run(self):
        try:
            self.value = self.function(*self.args)
        except BaseException as error:
            self.error = error

    def result(self, timeout=SOON):
        self.join(timeout)
        assert not self.is_alive(), "still running"
        if self.error:
            raise self.error
        return self.value


def is_waiting(db, count=1):
    """Are that many sessions waiting in wait_batch()?"""
    return db.value("select count(*) >= %s from pg_stat_activity where datname = current_database()"
                    " and backend_type = 'client backend' and state = 'active'"
                    " and query ~ 'wait_batch' and pid <> pg_backend_pid()"
                    " and wait_event_type in ('Extension')", count)
