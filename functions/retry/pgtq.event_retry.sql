create or replace function pgtq.event_retry(x_batch_id bigint, x_event_id bigint, x_retry_time timestamptz)
returns integer
as $$
-- Asks for an event of an open batch again, at a later time, for this consumer alone.
--
-- Returns 1, or 0 if that event is waiting for its retry already.
-- Writes: the delay store.
--
-- The event is found by its id's index; whether it belongs to the batch is told by the
-- snapshots, as for all its events.  So the cost does not depend on the batch's size.
declare
    _b      record;
    _count  integer;
begin
    select * into _b from pgtq._batch(x_batch_id);
    _count := pgtq._store_retries(_b.queue_id, _b.sub_id, x_retry_time,
        'select ev_id, ev_time, coalesce(ev_retry, 0) + 1 as ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4 from ('
        || pgtq._ring_sql(_b.data_pfx, format(
            'select * from %%s where ev_id = $4 and ev_attempts is null'
            ' and pg_visible_in_snapshot(ev_txid, %L) and not pg_visible_in_snapshot(ev_txid, %L)'
            ' and (ev_owner is null or ev_owner = $2)', _b.cur_snapshot, _b.prev_snapshot)) || ') r', x_event_id);
    if _count = 0
        and not exists (select from pgtq.retry_queue where ev_owner = _b.sub_id and ev_id = x_event_id)
    then
        -- the action of a timer, which is in no index; or nothing
        _count := pgtq._store_retries(_b.queue_id, _b.sub_id, x_retry_time,
            format('select ev_id, ev_time, coalesce(ev_retry, 0) + 1 as ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4'
                   ' from pgtq.get_batch_events(%s) where ev_id = $4', x_batch_id), x_event_id);
    end if;
    if _count = 0
        and not exists (select from pgtq.retry_queue where ev_owner = _b.sub_id and ev_id = x_event_id)
    then
        raise exception 'event not found'
            using errcode = 'undefined_object', detail = format('Batch: %s, event: %s', x_batch_id, x_event_id);
    end if;
    return _count;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.event_retry(bigint, bigint, timestamptz) is 'Ask for an event of a batch again, at a time';

create or replace function pgtq.event_retry(x_batch_id bigint, x_event_id bigint, x_retry_seconds integer)
returns integer
as $$
-- Asks for an event of an open batch again, after some seconds.
begin
    return pgtq.event_retry(x_batch_id, x_event_id, pgtq._now() + make_interval(secs => x_retry_seconds));
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.event_retry(bigint, bigint, integer) is 'Ask for an event of a batch again, after some seconds';
