create or replace function pgtq.upgrade_schema()
returns integer
as $$
-- Brings roles up to date, as after a restore into a new server.  Tables are brought up to
-- date by ALTER EXTENSION pgtq UPDATE.
--
-- Returns how many things were changed.
declare
    _count integer := 0;
begin
    if to_regrole('pgtq_reader') is null then
        create role pgtq_reader;
        _count := _count + 1;
    end if;
    if to_regrole('pgtq_writer') is null then
        create role pgtq_writer;
        _count := _count + 1;
    end if;
    if to_regrole('pgtq_admin') is null then
        create role pgtq_admin in role pgtq_reader, pgtq_writer;
        _count := _count + 1;
    end if;
    return _count;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.upgrade_schema() is 'Create the roles of pgtq where they are missing';
