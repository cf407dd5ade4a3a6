--@pl
create or replace function pgtq._late(in i_late bigint[], out l_xid bigint, out l_from bigint, out l_to bigint, out running boolean)
returns setof record
as $$
-- The list of late ones of the mover, see _move_due(), and whether each one's transaction is
-- still running.  One that the server knows nothing of is not.
begin
    return query
        select i_late[n], i_late[n + 1], i_late[n + 2],
               case when i_late[n] = 0 then false
                    when i_late[n]::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
                    then coalesce(pg_xact_status(i_late[n]::text::xid8) = 'in progress', false)
                    else i_late[n]::text::xid8 <= pg_current_xact_id() end
          from generate_series(1, cardinality(i_late), 3) n;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._late(bigint[]) is 'Internal: the late ones of the mover, one in a row';
--@end
