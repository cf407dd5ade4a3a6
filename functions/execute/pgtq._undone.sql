create or replace function pgtq._undone(
    i_sub integer, i_queue_id integer, i_prefix text, i_from bigint, i_to bigint, i_role oid, i_limit integer)
returns setof pgtq.event_template
as $$
-- The actions that came after tick i_from and by tick i_to of a queue and are neither done nor
-- carried, in the order of their times: those of a role, or for null of all.
--
-- Whoever calls has read the subscription's position before.  If that has moved on meanwhile, tick i_from
-- may be truncated, or the queue gone: then there is nothing now, and the next look finds what there is.
declare
    _prev   pg_snapshot;
    _cur    pg_snapshot;
begin
    select t.tick_snapshot into _prev from pgtq._ticks(i_queue_id, i_from, false, 1) t where t.tick_id = i_from;
    select t.tick_snapshot into _cur from pgtq._ticks(i_queue_id, i_to, false, 1) t where t.tick_id = i_to;
    if _prev is null or _cur is null then
        if exists (select from pgtq.subscription where sub_id = i_sub and sub_last_tick = i_from) then
            raise exception 'tick % or % of queue % is missing', i_from, i_to, i_queue_id using errcode = 'data_corrupted';
        end if;
        return;
    end if;
    return query execute 'select * from ('
        || pgtq._ring_sql(i_prefix,
               'select * from %s where ev_txid >= $1 and ev_txid < $2'
               ' and not pg_visible_in_snapshot(ev_txid, $3) and pg_visible_in_snapshot(ev_txid, $4)'
               ' and ev_attempts is not null and ev_timer is not null and ($5 is null or ev_role = $5)'
               ' and (ev_owner is null or ev_owner = $6)')
        || ') e where ev_id not in (select unnest(dn_events) from pgtq.done where dn_sub = $6 and dn_tick > $7 and not dn_started)'
           ' and not exists (select from pgtq.carried c where c.ca_sub = $6 and c.ev_id = e.ev_id)'
           ' order by ev_time, ev_id limit $8'
        using pg_snapshot_xmin(_prev), pg_snapshot_xmax(_cur), _prev, _cur, i_role, i_sub, i_from, i_limit;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._undone(integer, integer, text, bigint, bigint, oid, integer) is 'Internal: actions that are not done';
