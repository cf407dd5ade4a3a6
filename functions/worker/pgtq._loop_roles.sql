create or replace function pgtq._loop_roles()
returns setof oid
as $$
-- For start(): the roles that have scheduled actions, if a role asks that may tick; else none.
begin
    if has_function_privilege(session_user, 'pgtq._loop_tick(integer[])', 'execute') then
        return query select distinct ro_oid from pgtq.role;
    end if;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq._loop_roles() is 'Internal: roles that have scheduled actions';
