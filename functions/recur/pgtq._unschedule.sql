create or replace function pgtq._unschedule(i_role oid, i_name text, i_owner text)
returns boolean
as $$
-- Ends a schedule for a role, see unschedule().
--
-- A run that is under way is not stopped; it ends, and finds that its schedule has gone.  A job that has not begun
-- is cancelled.
declare
    _s      pgtq.schedule := pgtq._lock_schedule(i_role, i_name, i_owner);
    _row    pgtq.delay;
begin
    if _s.sc_id is null then
        return false;
    end if;
    for _row in select * from pgtq._schedule_timers(_s, true) loop
        _row := pgtq._take_timer(_row.ev_timer);
        if _row.ev_timer is not null then
            perform pgtq._add_history(_row, 3, null, null, null);
        end if;
    end loop;
    delete from pgtq.schedule_end where se_schedule = _s.sc_id;
    delete from pgtq.schedule where sc_id = _s.sc_id;
    perform pgtq._cancel_job(i_role, jo_id) from pgtq.job where jo_schedule = _s.sc_id and jo_state < 2;
    return true;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._unschedule(oid, text, text) is 'Internal: end a schedule';
