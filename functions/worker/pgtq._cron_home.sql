create or replace function pgtq._cron_home()
returns text
as $$
-- The database that pg_cron lives in: null if the server has none, empty if it has one but does
-- not tell the caller.
begin
    return nullif(current_setting('cron.database_name', true), '');
exception
    when insufficient_privilege then
        return '';
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._cron_home() is 'Internal: the database that pg_cron lives in';
