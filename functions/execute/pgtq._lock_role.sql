create or replace function pgtq._lock_role(i_role oid)
returns boolean
as $$
-- Locks the timers of a role that are due, until the transaction ends, for who runs or carries them.
-- False if somebody else has them.
--
-- A role may be in pgtq.role twice.  So all of its rows that are there are to be had: two sessions that
-- see different ones have at least the oldest in common.
begin
    return (select count(*) > 0 and count(*) = (select count(*) from pgtq.role where ro_oid = i_role)
              from (select from pgtq.role where ro_oid = i_role for update skip locked) l);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._lock_role(oid) is 'Internal: lock the timers of a role that are due';
