create or replace function pgtq._check_executor(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Does it run, and can it start sessions?  No row where no workers run.
declare
    _e  record;
begin
    name := 'executor';
    if not pgtq._workers_run() then
        return;
    end if;
    select * into _e from pgtq._executor_state();
    status := 'ok';
    if not exists (select from pgtq.queue where queue_executor is not null) then
        seen := 'there is no queue with actions';
    elsif _e.executor_pid is null then
        status := 'error';
        seen := 'no executor runs in this database';
        hint := 'It starts within a few seconds, unless worker slots are missing; see the server log.';
    elsif _e.sessions_wait then
        status := 'warn';
        seen := 'timers wait for a free slot for a background worker';
        hint := 'Raise max_worker_processes and restart the server.';
    else
        seen := format('process %s, %s sessions', _e.executor_pid, _e.sessions);
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_executor() is 'Internal: a check of health(): does the executor run';
