create or replace function pgtq._end_timer(
    i_role oid, i_timer bigint, i_status integer, i_started timestamptz, i_sqlstate text, i_error text)
returns boolean
as $$
-- Takes a pending timer out of the store for good, and notes why: see _add_history().  False if
-- it is not pending.
declare
    _row    pgtq.delay;
begin
    _row := pgtq._take_timer(i_timer);
    if _row.ev_timer is null then
        return false;
    end if;
    perform pgtq._check_owner(i_role, _row.ev_role, i_timer);
    perform pgtq._add_history(_row, i_status, i_started, i_sqlstate, i_error);
    perform pgtq._run_taken(_row);
    return true;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._end_timer(oid, bigint, integer, timestamptz, text, text) is 'Internal: take a timer out of the store for good';
