create or replace function pgtq._check_owner(i_role oid, i_owner oid, i_timer bigint)
returns void
as $$
-- Refuses a role that may not change a timer: it is for who scheduled it, and for pgtq_admin.
begin
    if i_role is distinct from i_owner and pg_has_role(i_role, 'pgtq_admin', 'usage') is not true then
        raise exception 'permission denied for timer %', i_timer using errcode = 'insufficient_privilege';
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_owner(oid, oid, bigint) is 'Internal: may a role change a timer';
