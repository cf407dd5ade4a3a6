create or replace function pgtq._oldest_snapshot()
returns xid8
as $$
-- Transactions before this one are seen as ended by every snapshot that another session of
-- this database holds; null if we are not allowed to know.
declare
    _next   constant xid8 := pg_snapshot_xmax(pg_current_snapshot());
    _oldest bigint;
begin
    if not pg_has_role(current_user, 'pg_read_all_stats', 'usage') then
        return null;
    end if;
    select min(pgtq._near_xid8(backend_xmin::text, _next)) into _oldest
      from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid();
    return coalesce(_oldest::text::xid8, _next);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._oldest_snapshot() is 'Internal: the oldest snapshot that others hold in this database';
