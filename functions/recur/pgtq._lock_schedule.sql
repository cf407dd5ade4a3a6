create or replace function pgtq._lock_schedule(i_role oid, i_name text, i_owner text)
returns pgtq.schedule
as $$
-- Finds a schedule by its name, for a role that is about to change it, and locks it: that of i_owner, or
-- for null the role's own.  Nulls if there is none.
declare
    _owner  oid := i_role;
    _s      pgtq.schedule;
begin
    perform pgtq._require_read_committed_for('a schedule');
    if i_owner is not null then
        _owner := to_regrole(quote_ident(i_owner));
        if _owner is distinct from i_role and not pg_has_role(i_role, 'pgtq_admin', 'usage') then
            raise exception 'permission denied for schedules of role "%"', i_owner using errcode = 'insufficient_privilege';
        end if;
    end if;
    select * into _s from pgtq.schedule where sc_role = _owner and sc_name = i_name for update;
    return _s;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._lock_schedule(oid, text, text) is 'Internal: find and lock a schedule';
