create or replace function pgtq._slowest_tick(i_queue_id integer)
returns pgtq.tick
as $$
-- The last tick of the slowest consumer of a queue; the newest tick if there is none.
-- What this tick's snapshot sees, nobody needs any more.
declare
    _id     bigint;
    _tick   pgtq.tick;
begin
    select min(sub_last_tick) into _id from pgtq.subscription where sub_queue = i_queue_id;
    if _id is null then
        select * into _tick from pgtq._ticks(i_queue_id, null, true, 1);
    else
        select * into _tick from pgtq._ticks(i_queue_id, _id, false, 1) t where t.tick_id = _id;
    end if;
    if _tick.tick_id is null then
        raise exception 'queue %: tick % not found', i_queue_id, _id
            using errcode = 'data_corrupted';
    end if;
    return _tick;
end;
$$ language plpgsql;

comment on function pgtq._slowest_tick(integer) is 'Internal: the last tick of the slowest consumer of a queue';
