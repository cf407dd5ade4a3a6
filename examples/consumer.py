#!/usr/bin/python3
"""A consumer of a pgtq queue, with psycopg 3.

    consumer = Consumer("dbname=shop", "orders", "mailer")

    @consumer.on("paid")
    def paid(event, conn):
        conn.execute("insert into mail (text) values (%s)", (event.data,))

    consumer.run()              # until SIGTERM, Ctrl-C or consumer.stop()

What handlers do on conn, and that the batch is done, are one commit: exactly once. What they do elsewhere may
happen again after a crash; event.id is the same then. A handler that raises is undone alone, and its event
comes again after a pause, max_attempts times in all; then `failed` is called with it and the exception.

    consumer.py QUEUE NAME      prints what comes, connected as PGDATABASE and its like say
"""

import logging
import signal
import sys
import time
from typing import NamedTuple

import psycopg

log = logging.getLogger("pgtq")


class Event(NamedTuple):
    id: int
    time: object
    type: str
    data: str
    retries: int            # how many times it has been put off: 0 at first
    extra1: str
    extra2: str
    extra3: str
    extra4: str


EVENTS = """select ev_id, ev_time, ev_type, ev_data, coalesce(ev_retry, 0), ev_extra1, ev_extra2, ev_extra3, ev_extra4
              from pgtq.get_batch_events(%s)"""


class Consumer:
    """Reads a queue batch by batch, and calls a handler for each event."""

    def __init__(self, conninfo, queue, name, max_attempts=5, backoff=10, wait="1 minute"):
        self.conninfo, self.queue, self.name = conninfo, queue, name
        self.max_attempts, self.backoff, self.wait = max_attempts, backoff, wait
        self.handlers = {}
        self.failed = lambda event, conn, error: log.error("event %s given up: %s", event.id, error)
        self.stopping = self.waiting = False
        self.conn = None

    def on(self, *types):
        """Decorator: handles events of these types; of none: all that have no other handler."""
        def add(handler):
            self.handlers.update(dict.fromkeys(types or [None], handler))
            return handler
        return add

    def stop(self, *_):
        """Ends run() after the batch that is being read; a signal handler may call it."""
        self.stopping = True
        if self.waiting:
            self.conn.cancel()

    def run(self):
        """Reads until it is told to stop. A connection that breaks is made anew."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.stop)
        while not self.stopping:
            try:
                with psycopg.connect(self.conninfo, autocommit=True) as self.conn:
                    self.conn.execute("select pgtq.register_consumer(%s, %s)", (self.queue, self.name))
                    while not self.stopping:
                        self.read_batch()
            except psycopg.OperationalError as error:
                if not self.stopping:
                    log.warning("%s; again in a second", str(error).strip())
                    time.sleep(1)

    def read_batch(self):
        """Waits for a batch, handles it and finishes it; what it did is one transaction."""
        batch = self.wait_batch()
        if batch is None:
            return
        with self.conn.transaction():
            for row in self.conn.execute(EVENTS, (batch,)).fetchall():
                self.handle(batch, Event._make(row))
            self.conn.execute("select pgtq.finish_batch(%s)", (batch,))

    def wait_batch(self):
        self.waiting = True
        try:
            if not self.stopping:
                (batch,) = self.conn.execute("select pgtq.wait_batch(%s, %s, %s)",
                                             (self.queue, self.name, self.wait)).fetchone()
                return batch
        except psycopg.errors.QueryCanceled:        # by stop()
            if not self.stopping:
                raise
        finally:
            self.waiting = False
        return None

    def handle(self, batch, event):
        handler = self.handlers.get(event.type) or self.handlers.get(None)
        if not handler:                             # somebody else's: consumers see all events
            return
        try:
            with self.conn.transaction():           # a savepoint: what a failing handler did is undone
                handler(event, self.conn)
        except psycopg.OperationalError:            # a deadlock, a lost connection: the batch comes again
            raise
        except Exception as error:
            if event.retries + 1 < self.max_attempts:
                pause = self.backoff * 2 ** event.retries
                log.warning("event %s failed, again in %s s: %s", event.id, pause, error)
                self.conn.execute("select pgtq.event_retry(%s, %s, %s)", (batch, event.id, pause))
            else:
                self.failed(event, self.conn, error)


def main():
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    consumer = Consumer("", *sys.argv[1:3])

    @consumer.on()
    def show(event, _):
        print(event.id, event.type, event.data, flush=True)

    consumer.run()


if __name__ == "__main__":
    main() if len(sys.argv) == 3 else sys.exit(__doc__)
