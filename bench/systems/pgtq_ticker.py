"""pgtq: the C build with its background workers; queues as create_queue() leaves them."""

from systems.pgq_api import CONSUMER, QUEUE, PgqApi


class PgtqTicker(PgqApi):
    schema = "pgtq"
    settings = {"shared_preload_libraries": "pgtq", "max_worker_processes": 60}

    def install(self, server, dbname):
        server.install(dbname, build="c")

    def create_queue(self, conn):
        conn.execute("select pgtq.create_queue(%s)", [QUEUE])
        conn.execute("select pgtq.register_consumer(%s, %s)", [QUEUE, CONSUMER])

    def running(self, rep):
        """The ticker is the server's."""
        return _Nothing()

    def wait_sql(self):
        """One call that returns a batch, or null after a while."""
        return f"select pgtq.wait_batch('{QUEUE}', '{CONSUMER}', '10 s')"


class _Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


SYSTEM = PgtqTicker("pgtq_ticker")
