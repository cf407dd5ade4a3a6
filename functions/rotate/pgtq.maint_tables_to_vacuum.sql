create or replace function pgtq.maint_tables_to_vacuum()
returns setof text
as $$
-- The tables that need a VACUUM from the maintenance: those few that are updated, and only
-- on a server whose autovacuum is off.
begin
    if not current_setting('autovacuum')::boolean then
        return query values ('pgtq.queue'), ('pgtq.consumer'), ('pgtq.subscriber'), ('pgtq.generation'), ('pgtq.key_lock'), ('pgtq.role');
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.maint_tables_to_vacuum() is 'Tables to vacuum, on a server whose autovacuum is off';
