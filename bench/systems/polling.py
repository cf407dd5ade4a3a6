"""Timers in pg_timers' way: a table, and one worker that takes what is due.

SELECT … FOR UPDATE SKIP LOCKED LIMIT 64, each action in a subtransaction, an UPDATE for each, a
commit for all; it sleeps until the next is due. The worker is a procedure in a session of its own.
"""

from systems.worker_session import WorkerSession

SCHEMA = """
    create table timer (id bigserial primary key, due timestamptz not null, action text not null,
                        state smallint not null default 0, fired_at timestamptz, error text);
    create index on timer (due) where state = 0;
    create procedure work() language plpgsql as $$
    declare
        _t      record;
        _any    boolean;
        _now    timestamptz;
        _next   timestamptz;
    begin
        loop
            _any := false;
            _now := clock_timestamp();      -- in the query itself it would keep the index from being used for it
            for _t in select id, action from timer where state = 0 and due <= _now
                       order by due limit 64 for update skip locked
            loop
                _any := true;
                begin
                    execute _t.action;
                    update timer set state = 1, fired_at = clock_timestamp() where id = _t.id;
                exception
                    when others then
                        update timer set state = 2, fired_at = clock_timestamp(), error = sqlerrm where id = _t.id;
                end;
            end loop;
            commit;
            if not _any then
                select min(due) into _next from timer where state = 0;
                commit;
                perform pg_sleep(greatest(0, least(extract(epoch from _next - clock_timestamp()), 0.1)));
            end if;
        end loop;
    end $$;
"""


class Polling(WorkerSession):
    name = "polling"
    schema = "public"
    settings = {}
    call = "call work()"

    def missing(self, workspace):
        return None

    def install(self, server, dbname):
        server.psql(dbname, SCHEMA)

    def version(self, conn):
        return "a table and a procedure"

    def schedule(self, conn, count, due, action):
        conn.execute(f"insert into timer (due, action) select {due}, {action} from generate_series(1, {count}) i")


SYSTEM = Polling()
