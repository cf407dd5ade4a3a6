create or replace function pgtq._note_role(i_role oid)
returns void
as $$
-- Remembers the name of a role that schedules, see pgtq.role.
begin
    if not exists (select from pgtq.role where ro_oid = i_role) then
        insert into pgtq.role select oid, rolname from pg_roles where oid = i_role;
    end if;
end;
$$ language plpgsql;

comment on function pgtq._note_role(oid) is 'Internal: remember the name of a role that schedules';
