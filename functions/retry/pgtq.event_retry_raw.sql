create or replace function pgtq.event_retry_raw(
    x_queue text, x_consumer text, x_retry_after timestamptz, x_ev_id bigint, x_ev_time timestamptz,
    x_ev_retry integer, x_ev_type text, x_ev_data text,
    x_ev_extra1 text, x_ev_extra2 text, x_ev_extra3 text, x_ev_extra4 text)
returns bigint
as $$
-- Puts any event into the retry queue of a consumer, as from another database.
--
-- Returns the event's id: x_ev_id, or the next of the queue if that is null.
-- Writes: pgtq.retry_queue.
declare
    _s  record;
    _id bigint;
begin
    select s.sub_id, s.sub_queue, q.queue_event_seq into _s
      from pgtq.queue q
      join pgtq.subscriber s on s.sub_queue = q.queue_id
      join pgtq.consumer c on c.co_id = s.sub_consumer
     where q.queue_name = x_queue and c.co_name = x_consumer;
    if not found then
        raise exception 'consumer not registered'
            using errcode = 'undefined_object', detail = format('Queue: %s, consumer: %s', x_queue, x_consumer);
    end if;
    _id := coalesce(x_ev_id, nextval(pgtq.quote_fqname(_s.queue_event_seq)::regclass));
    insert into pgtq.retry_queue (ev_retry_after, ev_queue, ev_id, ev_time, ev_owner, ev_retry,
                                  ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4)
        values (x_retry_after, _s.sub_queue, _id, x_ev_time, _s.sub_id, x_ev_retry,
                x_ev_type, x_ev_data, x_ev_extra1, x_ev_extra2, x_ev_extra3, x_ev_extra4);
    perform pgtq._wake_at(x_retry_after);
    return _id;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.event_retry_raw(text, text, timestamptz, bigint, timestamptz, integer, text, text, text, text, text, text)
    is 'Put an event into the retry queue of a consumer';
