create or replace function pgtq._why_job_waits(i_pause interval)
returns text
as $$
-- Why a job that is due has not begun: for why(), which runs as its caller and may not look at all this.
declare
    _check  record;
begin
    if pg_is_in_recovery() then
        return 'This server is a standby: it runs nothing before it is promoted.';
    end if;
    select * into _check from pgtq.health() h where h.status <> 'ok' and h.name in ('server', 'worker slots', 'jobs') limit 1;
    return case
        when found then format('health() says of %s: %s. %s', _check.name, _check.seen, _check.hint)
        when not pgtq._workers_run() then 'No worker runs here: its role has to call pgtq.run_jobs().'
        when i_pause > '0' then format('Its group pauses for %s after each run.', i_pause)
        else 'It waits for a session, or for a job of its group that comes before it.' end;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq._why_job_waits(interval) is 'Internal: why a job that is due has not begun';
