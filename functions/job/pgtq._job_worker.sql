create or replace function pgtq._job_worker(out pid integer, out sessions integer, out waits boolean)
-- The job worker: its process, null if there is none; how many sessions it has; and whether it waits for a
-- worker slot of the server.
--@c
as 'MODULE_PATHNAME', 'pgtq_job_worker' language c;
--@pl
as $$
begin
    pid := null;
    sessions := 0;
    waits := false;
end;
$$ language plpgsql;
--@end

comment on function pgtq._job_worker() is 'Internal: what the job worker is doing';
