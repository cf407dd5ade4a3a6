--@pl
create or replace function pgtq._locked_rows(i_tables oid[], i_tids tid[])
returns bigint[]
as $$
-- What is left of some rows of the delay store that a move has just tried to take: others have
-- them locked.  The result is a list of late ones, see _move_due().
--
-- The locker is in the row's xmax, which has 32 bits of its id.
declare
    _next   xid8 := pg_snapshot_xmax(pg_current_snapshot());
    _table  oid;
    _late   bigint[];
    _all    bigint[] := array[]::bigint[];
begin
    for _table in select distinct t from unnest(i_tables) t loop
        execute format(
            'select array_agg(v order by x.xid, o)'
            ' from (select pgtq._near_xid8(xmax::text, $2) as xid, min(dl_due) as f, max(dl_due) as t'
            '         from %s where ctid = any ($1) group by 1) x,'
            ' unnest(array[x.xid, extract(epoch from x.f) * 1000000, extract(epoch from x.t) * 1000000]::bigint[]) with ordinality u (v, o)',
            _table::regclass)
            into _late
            using array(select tid from unnest(i_tables, i_tids) u (tab, tid) where tab = _table), _next;
        _all := _all || coalesce(_late, array[]::bigint[]);
    end loop;
    return _all;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._locked_rows(oid[], tid[]) is 'Internal: rows of the delay store that others have locked';
--@end
