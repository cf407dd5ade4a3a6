"""pgmq, if it is installed: read() makes messages invisible, delete() removes them, each a transaction."""

import os

QUEUE = "bench"
SIZE = 100


class Pgmq:
    name = "pgmq"
    schema = "pgmq"
    settings = {}

    def missing(self, workspace):
        control = os.path.join(workspace.config("sharedir"), "extension", "pgmq.control")
        return None if os.path.exists(control) else "pgmq's extension is not installed"

    def install(self, server, dbname):
        server.psql(dbname, "create extension pgmq")

    def version(self, conn):
        return conn.execute("select extversion from pg_extension where extname = 'pgmq'").fetchone()[0]

    def create_queue(self, conn):
        conn.execute(f"select pgmq.create('{QUEUE}')")

    def insert_sql(self, data):
        return f"select pgmq.send('{QUEUE}', to_jsonb({data}::text))"

    def bulk_sql(self, count, data):
        return (f"select count(*) from pgmq.send_batch('{QUEUE}',"
                f" array(select to_jsonb({data}::text) from generate_series(1, {count}) i))")

    def read(self, conn):
        rows = conn.execute(f"select msg_id, message::text from pgmq.read('{QUEUE}', 30, {SIZE})").fetchall()
        if not rows:
            return None
        conn.execute(f"select count(*) from pgmq.delete('{QUEUE}', %s::bigint[])", [[row[0] for row in rows]])
        return len(rows)

    def maintain(self, conn):
        pass


SYSTEM = Pgmq()
