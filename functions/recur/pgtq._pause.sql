create or replace function pgtq._pause(i_role oid, i_name text, i_owner text, i_paused boolean)
returns boolean
as $$
-- Pauses a schedule for a role, or resumes it.  Its next run is put off to the end of time, or planned anew for
-- after now; one that is stored later, when a run ends, is seen to by the mover.
--
-- Returns whether that changes anything.
declare
    _s      pgtq.schedule := pgtq._lock_schedule(i_role, i_name, i_owner);
    _row    pgtq.delay;
begin
    if _s.sc_id is null then
        raise exception 'schedule "%" does not exist', i_name using errcode = 'undefined_object';
    end if;
    if _s.sc_paused = i_paused then
        return false;
    end if;
    update pgtq.schedule set sc_paused = i_paused where sc_id = _s.sc_id;
    _row := pgtq._take_run(_s);
    if _row.ev_timer is null then
        return true;
    end if;
    if i_paused then
        _row.dl_due := 'infinity';
        perform pgtq._store(_row);
    else
        _row.dl_due := pgtq._next_planned(_s, pgtq._now());
        if _row.dl_due is null then
            perform pgtq._end_schedule(_row, null);
        else
            perform pgtq._store_run(_s, (_row.ev_run).n, _row.dl_due, pgtq._jittered(_s, _row.dl_due), _row.ev_timer);
        end if;
    end if;
    return true;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._pause(oid, text, text, boolean) is 'Internal: pause or resume a schedule';
