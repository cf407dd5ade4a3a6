create or replace function pgtq._next_planned(i_schedule pgtq.schedule, i_after timestamptz)
returns timestamptz
as $$
-- The first time after i_after that a schedule has a run planned for; null if there is none.  Depends on
-- nothing but these.
declare
    _after  constant timestamptz := greatest(i_after, i_schedule.sc_start - interval '1 microsecond');
    _at     timestamptz;
begin
    if i_schedule.sc_every is null then
        select c.at into _at from pgtq._next_cron(i_schedule.sc_parsed, i_schedule.sc_timezone, _after) c;
    else
        select e.at into _at from pgtq._next_every(i_schedule.sc_every, i_schedule.sc_anchor, i_schedule.sc_timezone, _after) e;
    end if;
    return case when _at > i_schedule.sc_end then null else _at end;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._next_planned(pgtq.schedule, timestamptz) is 'Internal: when a schedule has its next run planned';
