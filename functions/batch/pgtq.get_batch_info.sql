create or replace function pgtq.get_batch_info(
    in x_batch_id bigint,
    out queue_name text,
    out consumer_name text,
    out batch_start timestamptz,
    out batch_end timestamptz,
    out prev_tick_id bigint,
    out tick_id bigint,
    out lag interval,
    out seq_start bigint,
    out seq_end bigint)
as $$
-- Whose batch this is and between which ticks it lies; nulls if it is not open.
begin
    select q.queue_name, c.co_name, prev.tick_time, cur.tick_time, prev.tick_id, cur.tick_id,
           clock_timestamp() - cur.tick_time, prev.tick_event_seq, cur.tick_event_seq
      into queue_name, consumer_name, batch_start, batch_end, prev_tick_id, tick_id,
           lag, seq_start, seq_end
      from pgtq.position b
      join pgtq.subscription s on s.sub_id = b.pos_sub and s.sub_batch = b.pos_batch
      join pgtq.queue q on q.queue_id = s.sub_queue
      join pgtq.consumer c on c.co_id = s.sub_consumer,
      lateral pgtq._ticks(s.sub_queue, s.sub_last_tick, false, 1) prev,
      lateral pgtq._ticks(s.sub_queue, s.sub_next_tick, false, 1) cur
     where b.pos_batch = x_batch_id;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.get_batch_info(bigint) is 'Whose batch this is and between which ticks it lies';
