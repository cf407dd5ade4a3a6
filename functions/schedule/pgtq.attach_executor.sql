create or replace function pgtq.attach_executor(queue text)
returns integer
as $$
-- Lets actions be scheduled on a queue: the executor, which runs them, becomes one of its
-- consumers.
--
-- Returns 1, or 0 if it was that already.
-- Writes: pgtq.queue, pgtq.subscriber.
#variable_conflict use_variable
declare
    _q      pgtq.queue;
begin
    select * into _q from pgtq.queue where queue_name = queue for update;
    if not found then
        raise exception 'No such queue'
            using errcode = 'undefined_object', detail = format('Queue: %s', queue),
                  hint = 'Queues are made with create_queue().';
    end if;
    if _q.queue_executor is not null then
        return 0;
    end if;
    perform pgtq._register_consumer(queue, 'pgtq.executor', null);
    update pgtq.queue
       set queue_executor = (select sub_id from pgtq.subscriber s join pgtq.consumer c on c.co_id = s.sub_consumer
                              where s.sub_queue = _q.queue_id and c.co_name = 'pgtq.executor')
     where queue_id = _q.queue_id;
    perform pgtq._queues_changed();
    return 1;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.attach_executor(text) is 'Let actions be scheduled on a queue';
