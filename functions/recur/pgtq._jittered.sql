create or replace function pgtq._jittered(i_schedule pgtq.schedule, i_planned timestamptz)
returns timestamptz
as $$
-- When a run that is planned for a time is due: up to the schedule's jitter later.
begin
    return i_planned + coalesce(random() * i_schedule.sc_jitter, '0');
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._jittered(pgtq.schedule, timestamptz) is 'Internal: when a planned run is due';
