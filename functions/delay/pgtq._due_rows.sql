--@pl
create or replace function pgtq._due_rows(i_old pgtq.position, i_running bigint[], i_now timestamptz, i_limit integer)
returns table (tableoid oid, ctid tid, dl_queue integer, dl_due timestamptz)
as $$
-- The rows of the delay store that are due, earliest first; see _move_due().  The C body of that
-- function has this inside of it.  i_running are those of the late ones that are not to be looked for yet.
--
-- For what S does not see the index on ev_txid is the one; the planner, which knows nothing of these
-- tables, must not take that on the due time and walk over all that was ever due.  Hence the
-- sum.
declare
    _by     constant timestamptz := least(i_old.pos_horizon, i_now);
    _ended  xid8[];
    _from   timestamptz[];
    _to     timestamptz[];
    _query  text := 'select tableoid, ctid, dl_queue, dl_due from %1$s where dl_due > $1 and dl_due <= $2';
begin
    if i_old.pos_snapshot is not null then
        select array_agg(x) into _ended from pg_snapshot_xip(i_old.pos_snapshot) x
         where pg_visible_in_snapshot(x, pg_current_snapshot());
        _query := _query || ' union all select tableoid, ctid, dl_queue, dl_due from %1$s where ev_txid >= $3 and dl_due + interval ''0'' <= $4';
    end if;
    if _ended is not null then
        _query := _query || ' union all select t.tableoid, t.ctid, t.dl_queue, t.dl_due from unnest($5) x, lateral'
                            ' (select tableoid, ctid, dl_queue, dl_due from %1$s where ev_txid = x and dl_due <= $4) t';
    end if;
    select array_agg(to_timestamp(l_from / 1000000) + make_interval(secs => l_from % 1000000 / 1000000.0)),
           array_agg(to_timestamp(l_to / 1000000) + make_interval(secs => l_to % 1000000 / 1000000.0))
      into _from, _to
      from (select l_xid, l_from, l_to from pgtq._late(i_old.pos_late) except select l_xid, l_from, l_to from pgtq._late(i_running)) l;
    if _from is not null then
        _query := _query || ' union all select t.tableoid, t.ctid, t.dl_queue, t.dl_due from unnest($6, $7) r (f, t), lateral'
                            ' (select tableoid, ctid, dl_queue, dl_due from %1$s where dl_due >= f and dl_due <= least(r.t, $2)) t';
    end if;
    return query execute 'select * from (' || pgtq._ring_sql('pgtq.delay', _query) || ') c'
                         ' where dl_queue in (select queue_id from pgtq.queue where queue_home = (select pgtq._home())) order by 4 limit $8'
        using i_old.pos_horizon, i_now, pg_snapshot_xmax(i_old.pos_snapshot), _by, _ended, _from, _to, i_limit;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._due_rows(pgtq.position, bigint[], timestamptz, integer) is 'Internal: the rows of the delay store that are due';
--@end
