create or replace function pgtq._check_maintenance(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Can it run?  No row where no workers run.
declare
    _s  record;
begin
    name := 'maintenance';
    if not pgtq._workers_run() then
        return;
    end if;
    select * into _s from pgtq._ticker_state();
    if _s.maintenance_waits then
        status := 'warn';
        seen := 'it waits for a free slot for a background worker';
        hint := 'Raise max_worker_processes and restart the server.';
    else
        status := 'ok';
        seen := format('%s runs', _s.maintenance_runs);
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_maintenance() is 'Internal: a check of health(): does the maintenance run';
