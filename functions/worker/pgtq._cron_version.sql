create or replace function pgtq._cron_version()
returns integer
as $$
-- Which pg_cron is installed in this database: 1.4 is 104.  Null: none.  That there is a schema of the
-- name "cron" proves nothing: anybody may have made it.
begin
    return (select split_part(extversion, '.', 1)::integer * 100 + substring(split_part(extversion, '.', 2) from '^[0-9]+')::integer
              from pg_extension where extname = 'pg_cron');
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._cron_version() is 'Internal: which pg_cron this database has';
