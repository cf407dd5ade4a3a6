create or replace function pgtq._check_worker_slots(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Did a worker find no slot?  No row where no workers run.
declare
    _since  timestamptz;
begin
    name := 'worker slots';
    if not pgtq._workers_run() then
        return;
    end if;
    select s.slots_missing_since into _since from pgtq._ticker_state() s;
    if _since is null then
        status := 'ok';
        seen := 'enough';
    else
        status := 'error';
        seen := format('no free slot for a background worker since %s', _since);
        hint := 'Raise max_worker_processes and restart the server.';
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_worker_slots() is 'Internal: a check of health(): is there a slot for each worker';
