create or replace function pgtq._schedule_timers(i_schedule pgtq.schedule, i_all boolean)
returns setof pgtq.delay
as $$
-- The pending timers of a schedule: the next run, or for i_all also what is to be tried again, or is not of
-- the plan.
begin
    return query execute 'select * from (' || pgtq._ring_sql('pgtq.delay', 'select * from %s where ev_schedule = $1')
        || ') t where $2 or ev_retry is null and (ev_run).epoch = $3'
        using i_schedule.sc_id, i_all, i_schedule.sc_epoch;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._schedule_timers(pgtq.schedule, boolean) is 'Internal: pending timers of a schedule';
