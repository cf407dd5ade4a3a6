-- upgrade/pl_only.head.sql: how pgtq_pl_only.sql and its upgrade begin.
--
-- psql stops at the first error, whatever it was told.  What is there already is left as it is:
-- tables are made once, functions are replaced.  But only if it is ours: a schema of another role
-- would get functions that this role could then replace, and an extension's functions are C.
\set ON_ERROR_STOP on
set client_min_messages = warning;
set search_path = pg_catalog, pg_temp;
do $$
declare
    _owner  oid := (select nspowner from pg_catalog.pg_namespace where nspname = 'pgtq');
begin
    if exists (select from pg_catalog.pg_extension where extname = 'pgtq') then
        raise exception 'pgtq is an extension in this database'
            using errcode = 'duplicate_schema', hint = 'pgtq_pl_only.from_extension.sql makes it one that needs no extension.';
    elsif _owner <> (select oid from pg_catalog.pg_roles where rolname = current_user) then
        raise exception 'schema "pgtq" belongs to role %', _owner::regrole
            using errcode = 'insufficient_privilege', hint = 'Install as that role.';
    elsif _owner is not null and pg_catalog.to_regclass('pgtq.event_template') is null then
        raise exception 'there is a schema "pgtq" that is not pgtq''s' using errcode = 'duplicate_schema';
    end if;
end
$$;
select pg_catalog.to_regnamespace('pgtq') is null as pgtq_is_new \gset
