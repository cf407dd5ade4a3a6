create or replace function pgtq.find_tick_helper(
    in i_queue_id integer,
    in i_prev_tick_id bigint,
    in i_prev_tick_time timestamptz,
    in i_prev_tick_seq bigint,
    in i_min_count bigint,
    in i_min_interval interval,
    out next_tick_id bigint,
    out next_tick_time timestamptz,
    out next_tick_seq bigint)
as $$
-- The first tick that makes a batch of at least i_min_count events or i_min_interval long;
-- nulls if there is none yet.
--
-- Looks at the newest tick first: if even that is not enough, nothing is, and if it is not
-- twice too much, it will do.  Else it walks up from the previous tick.
declare
    _t      pgtq.tick;
begin
    select * into _t from pgtq._ticks(i_queue_id, null, true, 1);
    if not found or _t.tick_id <= i_prev_tick_id then
        return;
    end if;
    if not (coalesce(_t.tick_event_seq - i_prev_tick_seq >= i_min_count, false)
            or coalesce(_t.tick_time - i_prev_tick_time >= i_min_interval, false))
    then
        return;
    end if;
    if coalesce(_t.tick_event_seq - i_prev_tick_seq > i_min_count * 2, false)
        or coalesce(_t.tick_time - i_prev_tick_time > i_min_interval * 2, false)
    then
        select * into _t
          from pgtq._ticks(i_queue_id, i_prev_tick_id + 1, false, null) t
         where t.tick_event_seq - i_prev_tick_seq >= i_min_count
            or t.tick_time - i_prev_tick_time >= i_min_interval
         order by t.tick_id
         limit 1;
    end if;
    next_tick_id := _t.tick_id;
    next_tick_time := _t.tick_time;
    next_tick_seq := _t.tick_event_seq;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.find_tick_helper(integer, bigint, timestamptz, bigint, bigint, interval) is 'Find the tick that ends a batch of a wanted size';
