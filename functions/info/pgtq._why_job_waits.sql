create or replace function pgtq._why_job_waits(i_pause interval, i_remote boolean)
returns text
as $$
-- Why a job that is due has not begun: for why(), which runs as its caller and may not look at all this.
declare
    _check  record;
begin
    if pg_is_in_recovery() then
        return 'This server is a standby: it runs nothing before it is promoted.';
    end if;
    select * into _check from pgtq.health() h where h.status <> 'ok' and h.name in ('server', 'worker slots', case when i_remote then 'remote jobs' else 'jobs' end) limit 1;
    return case
        when found then format('health() says of %s: %s. %s', _check.name, _check.seen, _check.hint)
        when not pgtq._workers_run() and i_remote then 'No worker runs here, which a remote job needs.'
        when not pgtq._workers_run() then 'No worker runs here: its role has to call pgtq.run_jobs().'
        when i_pause > '0' then format('Its group pauses for %s after each run.', i_pause)
        else format('It waits for a %s, or for a job of its group that comes before it.', case when i_remote then 'connection' else 'session' end) end;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq._why_job_waits(interval, boolean) is 'Internal: why a job that is due has not begun';
