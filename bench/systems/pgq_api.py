"""What all systems with PgQ's SQL API have in common: the same calls in another schema.

A system says where it lives (schema), what its server needs (settings), whether it is
there at all (missing) and how it gets into an empty database (install); and in which one (dbname), if
it can be in no other. What a queue has to have for the workloads that read events: create_queue,
insert_sql, bulk_sql, read and maintain.
"""

QUEUE = "bench"
CONSUMER = "reader"


class PgqApi:
    schema = None
    settings = {}

    def __init__(self, name):
        self.name = name

    def missing(self, workspace):
        """Why this system cannot be measured here, or None."""
        return None

    def install(self, server, dbname):
        """Puts the system into an empty database."""
        raise NotImplementedError

    def version(self, conn):
        return conn.execute(f"select {self.schema}.version()").fetchone()[0]

    def create_queue(self, conn):
        """A queue whose ticker ticks at every call, and one consumer at its start.

        Lag and idle period are next to nothing so that batches are cut where the workload
        says, by the same rule in every system, and never by the clock.
        """
        s = self.schema
        conn.execute(f"select {s}.create_queue(%s)", [QUEUE])
        for param, value in [
            ("ticker_max_count", "500"),
            ("ticker_max_lag", "1 microsecond"),    # PgQue takes no 0
            ("ticker_idle_period", "1 microsecond"),
        ]:
            conn.execute(f"select {s}.set_queue_config(%s, %s, %s)", [QUEUE, param, value])
        conn.execute(f"select {s}.register_consumer(%s, %s)", [QUEUE, CONSUMER])

    # -- SQL text, for pgbench and for the single-user backend --------------

    def insert_sql(self, data):
        """One event; data is an SQL expression."""
        return f"select {self.schema}.insert_event('{QUEUE}', 'type', {data})"

    def bulk_sql(self, count, data):
        """Many events in one statement; data may use the row number i."""
        return (
            f"select count({self.schema}.insert_event('{QUEUE}', 'type', {data}))"
            f" from generate_series(1, {count}) i"
        )

    def ticker_sql(self):
        return f"select {self.schema}.ticker('{QUEUE}')"

    def next_batch_sql(self):
        return f"select {self.schema}.next_batch('{QUEUE}', '{CONSUMER}')"

    # -- one consumer's steps; every call is a transaction of its own --------

    def tick(self, conn):
        return conn.execute(self.ticker_sql()).fetchone()[0]

    def next_batch(self, conn):
        return conn.execute(self.next_batch_sql()).fetchone()[0]

    def get_batch_events(self, conn, batch):
        """Fetches all rows and returns how many there are.

        The rows are in the client's memory then, but not turned into Python
        values: that would take longer than the server does, and hide it.
        """
        cur = conn.execute(f"select * from {self.schema}.get_batch_events(%s)", [batch])
        return cur.rowcount

    def finish_batch(self, conn, batch):
        conn.execute(f"select {self.schema}.finish_batch(%s)", [batch])

    def read(self, conn):
        """Ticks, reads one batch and finishes it: how many events it had; None if there is no batch."""
        self.tick(conn)
        batch = self.next_batch(conn)
        if batch is None:
            return None
        read = self.get_batch_events(conn, batch)
        self.finish_batch(conn, batch)
        return read

    def maintain(self, conn):
        """What pgqd does in its maintenance round."""
        s = self.schema
        for func, arg in conn.execute(f"select * from {s}.maint_operations()").fetchall():
            if func.lower() == "vacuum":
                conn.execute(f"vacuum {arg}")
                continue
            call = f"select {func}(%s)" if arg is not None else f"select {func}()"
            for _ in range(100):  # a function that has more to do says so by its result
                if not conn.execute(call, [arg] if arg is not None else None).fetchone()[0]:
                    break
