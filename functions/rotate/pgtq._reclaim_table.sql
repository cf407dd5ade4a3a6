create or replace function pgtq._reclaim_table(i_queue_id integer, i_prefix text, i_n integer)
returns text
as $$
-- Truncates table i_n of a queue's ring if nobody needs it.
--
-- Returns 'done', 'needed' (a consumer is not past it), or 'locked' (somebody uses it).
--
-- Writes: pgtq.queue, where queue_first_tick notes how far back the events are all there.
--
-- Locks first, then looks in a new statement.  Under ACCESS EXCLUSIVE no writer is in the
-- table, and whoever wrote has ended, so what is looked at is all there is.  An event is
-- needed if the slowest consumer's last tick does not see it: its transaction began after
-- that tick's snapshot, or was running then; both are index look-ups, and are written such
-- that they are planned so, as these tables have no statistics.  A tick is needed if
-- it is that last tick or a later one.
declare
    _event  text := pgtq.quote_fqname(i_prefix || '_' || i_n);
    _tick   text := format('pgtq.%I', format('tick_%s_%s', i_queue_id, i_n));
    _slow   pgtq.tick;
    _needed boolean;
begin
    begin
        execute format('lock table %s, %s in access exclusive mode', _tick, _event);
    exception
        when lock_not_available then
            return 'locked';
    end;

    _slow := pgtq._slowest_tick(i_queue_id);
    execute format('select (select tick_id from %1$s order by tick_id desc limit 1) >= $1'
                   ' or (select ev_txid from %2$s order by ev_txid desc limit 1) >= $2'
                   ' or exists (select from unnest($3) x'
                   ' where x = (select ev_txid from %2$s where ev_txid >= x order by ev_txid limit 1))', _tick, _event)
        into _needed
        using _slow.tick_id, pg_snapshot_xmax(_slow.tick_snapshot),
              array(select pg_snapshot_xip(_slow.tick_snapshot));
    if _needed then
        return 'needed';
    end if;
    execute format('truncate %s, %s', _event, _tick);
    update pgtq.queue set queue_first_tick = _slow.tick_id where queue_id = i_queue_id;
    return 'done';
end;
$$ language plpgsql;

comment on function pgtq._reclaim_table(integer, text, integer) is 'Internal: truncate a table of the ring of a queue if nobody needs it';
