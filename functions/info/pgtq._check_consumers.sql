create or replace function pgtq._check_consumers(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Consumers that keep tables from being truncated: behind by more than two rotation periods.
declare
    _slow   text;
begin
    name := 'consumers';
    select string_agg(format('%I of queue %I since %s%s', c.co_name, q.queue_name, date_trunc('second', t.tick_time),
                             case when s.sub_batch is not null then format(' (in batch %s)', s.sub_batch) end),
                      ', ' order by t.tick_time)
      into _slow
      from pgtq.queue q
      join pgtq.subscription s on s.sub_queue = q.queue_id
      join pgtq.consumer c on c.co_id = s.sub_consumer
      cross join lateral pgtq._ticks(q.queue_id, s.sub_last_tick, false, 1) t
     where t.tick_time < clock_timestamp() - q.queue_rotation_period * 2 - q.queue_ticker_idle_period * 2;
    if _slow is null then
        status := 'ok';
        seen := 'none holds back rotation';
    else
        status := 'warn';
        seen := format('events are kept for %s', _slow);
        hint := 'Start them again, or call pgtq.unregister_consumer() for those that will not come back; see pgtq.consumer_stats.';
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_consumers() is 'Internal: a check of health(): consumers that hold back rotation';
