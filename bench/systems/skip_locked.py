"""A queue as people build it by hand: a table whose rows are taken with SKIP LOCKED and deleted.

One statement takes the oldest rows, deletes them and returns them. Its plan is the same however stale the
statistics are: the primary key gives the order, the rows are found by their ids. Autovacuum comes early and does not
sleep. Three of them, which differ in how many rows a transaction takes.
"""


class SkipLocked:
    schema = "public"
    settings = {}

    def __init__(self, name, size):
        self.name, self.size = name, size

    def missing(self, workspace):
        return None

    def install(self, server, dbname):
        server.psql(dbname, """
            create table queue (id bigserial primary key, at timestamptz not null default now(), type text, data text)
                with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0)""")

    def version(self, conn):
        return f"a table, {self.size} rows in a transaction"

    def create_queue(self, conn):
        pass

    def insert_sql(self, data):
        return f"insert into queue (type, data) values ('type', {data}) returning id"

    def bulk_sql(self, count, data):
        return f"insert into queue (type, data) select 'type', {data} from generate_series(1, {count}) i"

    def read(self, conn):
        return conn.execute(
            "delete from queue where id = any (array("
            f"select id from queue order by id limit {self.size} for update skip locked))"
            " returning *").rowcount or None

    def maintain(self, conn):
        pass


SYSTEMS = {name: SkipLocked(name, size) for name, size in (("skip_1", 1), ("skip_100", 100), ("skip_1000", 1000))}
