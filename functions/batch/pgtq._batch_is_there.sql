create or replace function pgtq._batch_is_there(i_queue_name text, i_consumer_name text)
returns boolean
as $$
-- Would next_batch() return one?  Locks nothing.
declare
    _s  record;
begin
    select s.sub_queue, s.sub_batch, s.sub_last_tick into _s
      from pgtq.queue q
      join pgtq.subscription s on s.sub_queue = q.queue_id
      join pgtq.consumer c on c.co_id = s.sub_consumer
     where q.queue_name = i_queue_name and c.co_name = i_consumer_name;
    if not found then
        return true;            -- it shall say what is wrong
    end if;
    return _s.sub_batch is not null
        or exists (select from pgtq._ticks(_s.sub_queue, _s.sub_last_tick + 1, false, 1));
end;
$$ language plpgsql;

comment on function pgtq._batch_is_there(text, text) is 'Internal: would next_batch() return a batch';
