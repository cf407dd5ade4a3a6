create or replace function pgtq._take_run(i_schedule pgtq.schedule)
returns pgtq.delay
as $$
-- Takes the next run of a schedule out of the delay store; nulls if it is not there: a run is under way, or
-- there is none.  The caller has locked the schedule.
declare
    _id     bigint;
    _row    pgtq.delay;
begin
    for _id in select t.ev_timer from pgtq._schedule_timers(i_schedule, false) t loop
        _row := pgtq._take_timer(_id);
        if _row.ev_timer is not null then
            return _row;
        end if;
    end loop;
    return null;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._take_run(pgtq.schedule) is 'Internal: take the next run of a schedule out of the delay store';
