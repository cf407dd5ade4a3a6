create or replace function pgtq._action_timeout(
    i_timeout integer, i_setting text default 'pgtq.action_timeout', i_default text default '1min')
returns interval
as $$
-- How long an action or a job may take, for run_due() and run_jobs(): its own timeout in milliseconds, or
-- the setting if that is null; null is no limit.
declare
    _setting    constant text := coalesce(nullif(pg_catalog.current_setting(i_setting, true), ''), i_default);
    _limit      interval;
begin
    if i_timeout is not null then
        _limit := i_timeout * interval '1 millisecond';
    elsif _setting ~ '^[0-9]+$' then
        _limit := _setting::bigint * interval '1 millisecond';
    else
        _limit := _setting::interval;
    end if;
    return nullif(_limit, '0');
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._action_timeout(integer, text, text) is 'Internal: how long an action may take; null is no limit';
