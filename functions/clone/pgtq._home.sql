create or replace function pgtq._home()
returns text
-- Which database this is, of all there are: the server's system identifier and the oid of the
-- database.  A restored dump, or a database made from a template, is another one.
--
-- It is IMMUTABLE for as long as a session lasts, and so do plans: in the PL build it reads a file, which is
-- not to happen with every timer.
--@c
as 'MODULE_PATHNAME', 'pgtq_home' language c immutable;
--@pl
as $$
begin
    return (select system_identifier from pg_catalog.pg_control_system()) || ':' ||
           (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database());
end;
$$ language plpgsql immutable set search_path = pg_catalog, pg_temp;
--@end

comment on function pgtq._home() is 'Internal: which database this is';
