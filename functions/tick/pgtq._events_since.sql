create or replace function pgtq._events_since(i_queue_id integer, i_prefix text, i_snapshot pg_snapshot)
returns boolean
-- Is there an event that a snapshot does not see?  An event is unseen if its transaction
-- began after the snapshot or was running at that time.  Index look-ups only; in SQL they are
-- written such that they are planned so, as these tables have no statistics.
--@c
as 'MODULE_PATHNAME', 'pgtq_events_since' language c strict;
--@pl
as $$
declare
    _xip    xid8[] := array(select pg_snapshot_xip(i_snapshot));
    _found  boolean;
begin
    execute 'select exists (' || pgtq._ring_sql(i_prefix,
                'select 1 where (select ev_txid from %1$s order by ev_txid desc limit 1) >= $1'
                || case when _xip = '{}' then '' else ' union all select 1 from unnest($2) x'
                     ' where x = (select ev_txid from %1$s where ev_txid >= x order by ev_txid limit 1)' end)
            || ')'
        into _found
        using pg_snapshot_xmax(i_snapshot), _xip;
    return _found;
end;
$$ language plpgsql strict;
--@end

comment on function pgtq._events_since(integer, text, pg_snapshot) is 'Internal: are there events that a snapshot does not see';
