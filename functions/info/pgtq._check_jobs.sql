create or replace function pgtq._check_jobs(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Do jobs begin when they are due, and do their sessions start?  No row where there are no jobs.  Those that
-- are remote are for _check_remote_jobs().
declare
    _w      record;
    _jobs   record;
begin
    name := 'jobs';
    select count(*) as n, count(*) filter (where jo_state > 0) as running,
           count(*) filter (where jo_state = 0 and jo_due < pgtq._now() - interval '1 min' and jo_limit is null and jo_pause is null) as late,
           count(*) filter (where jo_home <> pgtq._home()) as foreign_jobs
      into _jobs from pgtq.job where jo_remote is null or jo_home <> pgtq._home();
    if _jobs.n = 0 then
        return;
    end if;
    select * into _w from pgtq._job_worker();
    status := 'ok';
    seen := format('%s are not done, of which %s have a session', _jobs.n, _jobs.running);
    if _jobs.foreign_jobs > 0 and coalesce(nullif(current_setting('pgtq.on_clone', true), ''), 'run') = 'pause' then
        status := 'warn';
        seen := format('%s jobs wait: this database is a copy of another one', _jobs.foreign_jobs);
        hint := 'If they are to run here, call pgtq.adopt().';
    elsif not pgtq._workers_run() then
        if _jobs.late > 0 then
            status := 'warn';
            seen := format('%s jobs have been due for more than a minute', _jobs.late);
            hint := 'No worker runs here: their roles have to call pgtq.run_jobs(), or pgtq.ticker_loop() with the task run.';
        end if;
    elsif _w.waits then
        status := 'warn';
        seen := 'jobs wait for a free slot for a background worker';
        hint := 'Raise max_worker_processes and restart the server.';
    elsif _w.pid is null then
        status := 'error';
        seen := format('%s jobs, and no job worker runs in this database', _jobs.n);
        hint := 'It starts within a few seconds, unless worker slots are missing; see the server log.';
    elsif _jobs.late > 0 then
        status := 'warn';
        seen := format('%s jobs have been due for more than a minute; %s are running', _jobs.late, _jobs.running);
        hint := 'See pgtq.jobs; raise pgtq.max_job_sessions, or stop what takes long with pgtq.cancel_running().';
    end if;
    return next;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_jobs() is 'Internal: a check of health(): do jobs begin when they are due';
