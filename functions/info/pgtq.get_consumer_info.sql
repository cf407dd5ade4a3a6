create or replace function pgtq.get_consumer_info(
    in i_queue_name text,
    in i_consumer_name text,
    out queue_name text,
    out consumer_name text,
    out lag interval,
    out last_seen interval,
    out last_tick bigint,
    out current_batch bigint,
    out next_tick bigint,
    out pending_events bigint)
returns setof record
as $$
-- Where a consumer stands; null for a name means all.
--
-- lag is the age of its last tick, last_seen the time since it opened or closed a batch,
-- pending_events an estimate of how many events are ticked and not yet read.
begin
    return query
        select q.queue_name, c.co_name, clock_timestamp() - t.tick_time,
               clock_timestamp() - s.sub_active, s.sub_last_tick, s.sub_batch, s.sub_next_tick,
               n.tick_event_seq - t.tick_event_seq
          from pgtq.queue q
          join pgtq.subscription s on s.sub_queue = q.queue_id
          join pgtq.consumer c on c.co_id = s.sub_consumer
          left join lateral pgtq._ticks(q.queue_id, s.sub_last_tick, false, 1) t on true
          left join lateral pgtq._ticks(q.queue_id, null, true, 1) n on true
         where (i_queue_name is null or q.queue_name = i_queue_name)
           and (i_consumer_name is null or c.co_name = i_consumer_name)
         order by q.queue_name, c.co_name;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.get_consumer_info(text, text) is 'Where a consumer of a queue stands';

create or replace function pgtq.get_consumer_info(
    in i_queue_name text,
    out queue_name text,
    out consumer_name text,
    out lag interval,
    out last_seen interval,
    out last_tick bigint,
    out current_batch bigint,
    out next_tick bigint,
    out pending_events bigint)
returns setof record
as $$
-- Where the consumers of a queue stand.
begin
    return query select * from pgtq.get_consumer_info(i_queue_name, null);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.get_consumer_info(text) is 'Where the consumers of a queue stand';

create or replace function pgtq.get_consumer_info(
    out queue_name text,
    out consumer_name text,
    out lag interval,
    out last_seen interval,
    out last_tick bigint,
    out current_batch bigint,
    out next_tick bigint,
    out pending_events bigint)
returns setof record
as $$
-- Where all consumers of all queues stand.
begin
    return query select * from pgtq.get_consumer_info(null, null);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.get_consumer_info() is 'Where all consumers of all queues stand';
