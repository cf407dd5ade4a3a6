create or replace function pgtq._register_consumer(x_queue_name text, x_consumer_name text, x_tick_pos bigint)
returns integer
as $$
-- Registers a consumer, or moves one, to a tick.  Its first batch starts there.
--
-- Parameters: x_tick_pos null is the newest tick for a new consumer, and changes nothing
-- for one that is registered.
-- Returns 1 for a new registration, 0 for an existing one (whose open batch is dropped if
-- it was moved).
-- Writes: pgtq.consumer, pgtq.subscriber, the position log.
--
-- The queue's row is locked against the rotation, which could else truncate what lies
-- between its look at the consumers and this one's coming.
declare
    _queue      integer;
    _first      bigint;
    _tick_id    bigint;
    _consumer   integer;
    _sub        integer;
    _p          pgtq.position;
begin
    if x_consumer_name is null then
        raise exception 'Consumer name must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    if x_tick_pos is null
        and exists (select from pgtq.queue q
                      join pgtq.subscriber s on s.sub_queue = q.queue_id
                      join pgtq.consumer c on c.co_id = s.sub_consumer
                     where q.queue_name = x_queue_name and c.co_name = x_consumer_name)
    then
        return 0;
    end if;
    select queue_id, queue_first_tick into _queue, _first
      from pgtq.queue where queue_name = x_queue_name for share;
    if not found then
        raise exception 'Event queue not created yet: %', x_queue_name
            using errcode = 'undefined_object', hint = 'Queues are made with create_queue().';
    end if;

    if x_tick_pos is null then
        select t.tick_id into _tick_id from pgtq._ticks(_queue, null, true, 1) t;
    else
        select t.tick_id into _tick_id from pgtq._ticks(_queue, x_tick_pos, false, 1) t
         where t.tick_id = x_tick_pos and t.tick_id >= _first;
    end if;
    if _tick_id is null then
        raise exception 'cannot reposition, tick not found: %', x_tick_pos
            using errcode = 'undefined_object';
    end if;

    loop
        select co_id into _consumer from pgtq.consumer where co_name = x_consumer_name for key share;
        exit when found;
        insert into pgtq.consumer (co_name) values (x_consumer_name) on conflict do nothing;
    end loop;

    insert into pgtq.subscriber (sub_queue, sub_consumer) values (_queue, _consumer)
        on conflict do nothing returning sub_id into _sub;
    if found then
        perform pgtq._append_position(_sub, 1, _tick_id, null, null);
        return 1;
    end if;

    if x_tick_pos is not null then
        select sub_id into strict _sub from pgtq.subscriber
         where sub_queue = _queue and sub_consumer = _consumer for update;
        select * into _p from pgtq.position where pos_sub = _sub order by pos_n desc limit 1;
        perform pgtq._append_position(_sub, _p.pos_n + 1, _tick_id, null, null);
    end if;
    return 0;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._register_consumer(text, text, bigint) is 'Internal: register a consumer, or move it';
