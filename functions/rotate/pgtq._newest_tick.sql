create or replace function pgtq._newest_tick(i_queue_id integer, i_n integer)
returns bigint
as $$
-- The newest tick in table i_n of a queue's ring; null if there is none.
declare
    _id bigint;
begin
    if pgtq._table_state(format('pgtq.tick_%s_%s', i_queue_id, i_n)::regclass) <> 'used' then
        return null;
    end if;
    execute format('select max(tick_id) from pgtq.tick_%s_%s', i_queue_id, i_n) into _id;
    return _id;
end;
$$ language plpgsql;

comment on function pgtq._newest_tick(integer, integer) is 'Internal: the newest tick in a table of the ring of a queue';
