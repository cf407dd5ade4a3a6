create or replace function pgtq._check_remote_jobs(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Do remote jobs begin when they are due?  No row where there are none.  (That a copy waits is said by _check_jobs().)
declare
    _w      record;
    _jobs   record;
begin
    name := 'remote jobs';
    select count(*) as n, count(*) filter (where jo_state = 2) as running, count(*) filter (where jo_state = 1) as taken,
           count(*) filter (where jo_state = 0 and jo_due < pgtq._now() - interval '1 min' and jo_limit is null and jo_pause is null) as late,
           count(*) filter (where jo_attempt > 0) as failed
      into _jobs from pgtq.job where jo_remote is not null and jo_home = pgtq._home();
    if _jobs.n = 0 then
        return;
    end if;
    select * into _w from pgtq._remote_worker();
    status := 'ok';
    seen := format('%s are not done: %s are running, %s are connecting, %s have failed and are tried again',
                   _jobs.n, _jobs.running, _jobs.taken, _jobs.failed);
    if not pgtq._workers_run() then
        status := 'warn';
        seen := format('%s remote jobs wait: no worker runs here', _jobs.n);
        hint := 'They need the workers of the C build; run_jobs() does not run them.';
    elsif _w.waits then
        status := 'warn';
        seen := 'remote jobs wait for a free slot for a background worker';
        hint := 'Raise max_worker_processes and restart the server.';
    elsif _w.pid is null then
        status := 'error';
        seen := format('%s remote jobs, and no worker for them runs in this database', _jobs.n);
        hint := 'It starts within a few seconds, unless worker slots are missing; see the server log.';
    elsif _jobs.late > 0 then
        status := 'warn';
        seen := format('%s remote jobs have been due for more than a minute; %s are running', _jobs.late, _jobs.running);
        hint := 'See pgtq.jobs; raise pgtq.max_remote_jobs, or stop what takes long with pgtq.cancel_running().';
    end if;
    return next;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_remote_jobs() is 'Internal: a check of health(): do remote jobs begin when they are due';
