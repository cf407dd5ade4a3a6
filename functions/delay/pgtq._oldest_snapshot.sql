create or replace function pgtq._oldest_snapshot()
returns xid8
as $$
-- Transactions before this one are seen as ended by every snapshot that another session of
-- this database holds; null if we are not allowed to know.
--
-- What the server tells has 32 bits; the rest is that of the newest transactions.
declare
    _next   constant bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
    _oldest bigint;
begin
    if not pg_has_role(current_user, 'pg_read_all_stats', 'usage') then
        return null;
    end if;
    select min((x | (_next >> 32 << 32)) - case when x > (_next & 4294967295) then 4294967296 else 0 end) into _oldest
      from pg_stat_activity a, lateral (select a.backend_xmin::text::bigint) b (x)
     where datname = current_database() and pid <> pg_backend_pid();
    return coalesce(_oldest, _next)::text::xid8;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._oldest_snapshot() is 'Internal: the oldest snapshot that others hold in this database';
