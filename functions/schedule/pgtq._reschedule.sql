create or replace function pgtq._reschedule(i_role oid, i_timer bigint, i_at timestamptz)
returns boolean
as $$
-- Moves a pending timer to another time for a role.  False if it is not pending.
declare
    _row    pgtq.delay;
begin
    perform pgtq._check_timer(i_at, false, null, false, null);
    _row := pgtq._take_timer(i_timer);
    if _row.ev_timer is null then
        return false;
    end if;
    perform pgtq._check_owner(i_role, _row.ev_role, i_timer);
    _row.ev_expires := _row.ev_expires - _row.dl_due + i_at;
    _row.dl_due := i_at;
    perform pgtq._store(_row);
    return true;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._reschedule(oid, bigint, timestamptz) is 'Internal: move a pending timer to another time';
