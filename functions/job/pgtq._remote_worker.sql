create or replace function pgtq._remote_worker(out pid integer, out connections integer, out waits boolean)
-- The worker of remote jobs: its process, null if there is none; how many jobs have a connection or get one; and
-- whether it waits for a worker slot of the server.
--@c
as 'MODULE_PATHNAME', 'pgtq_remote_worker' language c;
--@pl
as $$
begin
    pid := null;
    connections := 0;
    waits := false;
end;
$$ language plpgsql;
--@end

comment on function pgtq._remote_worker() is 'Internal: what the worker of remote jobs is doing';
