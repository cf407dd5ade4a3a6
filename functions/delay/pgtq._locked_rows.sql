--@pl
create or replace function pgtq._locked_rows(i_tables oid[], i_tids tid[])
returns bigint[]
as $$
-- What is left of some rows of the delay store that a move has just tried to take: others have
-- them locked.  The result is a list of late ones, see _move_due().
--
-- The locker is in the row's xmax.  It has 32 bits of its id; the rest is that of the newest
-- transactions.
declare
    _next   bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
    _table  oid;
    _late   bigint[];
    _all    bigint[] := array[]::bigint[];
begin
    for _table in select distinct t from unnest(i_tables) t loop
        execute format(
            'select array_agg(v order by x.xid, o)'
            ' from (select xmax::text::bigint as xid, min(dl_due) as f, max(dl_due) as t'
            '         from %s where ctid = any ($1) group by 1) x,'
            ' lateral (select (x.xid | ($2 >> 32 << 32)) - case when x.xid > ($2 & 4294967295) + 1000000000 then 4294967296 else 0 end) e (xid8),'
            ' unnest(array[e.xid8, extract(epoch from x.f) * 1000000, extract(epoch from x.t) * 1000000]::bigint[]) with ordinality u (v, o)',
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
