create or replace function pgtq.next_batch_custom(
    in i_queue_name text,
    in i_consumer_name text,
    in i_min_lag interval,
    in i_min_count integer,
    in i_min_interval interval,
    out batch_id bigint,
    out cur_tick_id bigint,
    out prev_tick_id bigint,
    out cur_tick_time timestamptz,
    out prev_tick_time timestamptz,
    out cur_tick_event_seq bigint,
    out prev_tick_event_seq bigint)
-- Opens the next batch of a consumer.  A batch that is open already is returned again.
--
-- Parameters: i_min_lag wants events at least that old, i_min_count and i_min_interval a
-- batch of at least that many events, or that much time; null is no wish.  Event counts are
-- estimates, made from the event id sequence.
-- Returns nulls if there is nothing to read yet.
-- Writes: the position log.
--@c
as 'MODULE_PATHNAME', 'pgtq_next_batch_custom' language c;
--@pl
as $$
declare
    _sub    pgtq.subscriber;
    _p      pgtq.position;
    _prev   pgtq.tick;
    _cur    pgtq.tick;
begin
    perform pgtq._check_consumer_name(i_consumer_name);
    select s.* into _sub
      from pgtq.queue q
      join pgtq.subscriber s on s.sub_queue = q.queue_id
      join pgtq.consumer c on c.co_id = s.sub_consumer
     where q.queue_name = i_queue_name and c.co_name = i_consumer_name
       for update of s;
    if not found then
        raise exception 'Not subscriber to queue: %/%', coalesce(i_queue_name, 'NULL'), coalesce(i_consumer_name, 'NULL')
            using errcode = 'undefined_object', hint = 'Consumers are made with register_consumer().';
    end if;

    select * into _p from pgtq.position where pos_sub = _sub.sub_id order by pos_n desc limit 1;
    select * into _prev from pgtq._ticks(_sub.sub_queue, _p.pos_last_tick, false, 1);
    if _prev.tick_id is distinct from _p.pos_last_tick then
        -- the position is one of an old snapshot, and its tick is truncated
        raise exception 'could not serialize access due to concurrent update'
            using errcode = 'serialization_failure';
    end if;

    if _p.pos_batch is not null then
        batch_id := _p.pos_batch;
        select * into _cur from pgtq._ticks(_sub.sub_queue, _p.pos_next_tick, false, 1);
    elsif i_min_count is null and i_min_interval is null then
        select * into _cur from pgtq._ticks(_sub.sub_queue, _prev.tick_id + 1, false, 1);
    else
        select t.* into _cur
          from pgtq.find_tick_helper(_sub.sub_queue, _prev.tick_id, _prev.tick_time,
                                     _prev.tick_event_seq, i_min_count, i_min_interval) f,
               pgtq._ticks(_sub.sub_queue, f.next_tick_id, false, 1) t
         where f.next_tick_id is not null;
    end if;

    if batch_id is null then
        if _cur.tick_id is null or clock_timestamp() - _cur.tick_time < i_min_lag then
            return;
        end if;
        batch_id := nextval('pgtq.batch_id_seq');
        perform pgtq._append_position(_sub.sub_id, _p.pos_n + 1, _prev.tick_id, batch_id, _cur.tick_id);
    end if;

    cur_tick_id := _cur.tick_id;
    cur_tick_time := _cur.tick_time;
    cur_tick_event_seq := _cur.tick_event_seq;
    prev_tick_id := _prev.tick_id;
    prev_tick_time := _prev.tick_time;
    prev_tick_event_seq := _prev.tick_event_seq;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;
--@end

comment on function pgtq.next_batch_custom(text, text, interval, integer, interval) is 'Open the next batch of a consumer, of a wanted size or age';
