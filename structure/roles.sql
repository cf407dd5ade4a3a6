-- structure/roles.sql: the three roles everything is granted to.
--
-- Roles belong to the whole server, so another database may have made them
-- already.  upgrade_schema() makes them too, for a restored dump.

do $$
begin
    if not exists (select from pg_catalog.pg_roles where rolname = 'pgtq_reader') then
        create role pgtq_reader;
    end if;
    if not exists (select from pg_catalog.pg_roles where rolname = 'pgtq_writer') then
        create role pgtq_writer;
    end if;
    if not exists (select from pg_catalog.pg_roles where rolname = 'pgtq_admin') then
        create role pgtq_admin in role pgtq_reader, pgtq_writer;
    end if;
exception
    when insufficient_privilege then
        raise exception 'role % may not make the roles of pgtq: %', current_user, sqlerrm
            using errcode = 'insufficient_privilege',
                  hint = 'Have them made beforehand: create role pgtq_reader; create role pgtq_writer; create role pgtq_admin in role pgtq_reader, pgtq_writer;';
end
$$;
