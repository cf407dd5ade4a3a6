create or replace function pgtq.detach_executor(queue text)
returns integer
as $$
-- Ends the executor's part in a queue.  Refused while timers of the queue have an action that
-- nobody would run then.
--
-- Returns 1, or 0 if there was no executor.
-- Writes: pgtq.queue, pgtq.subscriber.
#variable_conflict use_variable
declare
    _q  pgtq.queue;
begin
    select * into _q from pgtq.queue where queue_name = queue for update;
    if not found then
        raise exception 'No such queue'
            using errcode = 'undefined_object', detail = format('Queue: %s', queue);
    end if;
    if _q.queue_executor is null then
        return 0;
    end if;
    if exists (select from pgtq.delay where dl_queue = _q.queue_id and ev_attempts is not null) then
        raise exception 'queue "%" has pending timers', queue
            using errcode = 'object_in_use', hint = 'Cancel them, or use drop_queue(queue, true).';
    end if;
    if exists (select from pgtq.carried where ca_sub = _q.queue_executor)
        or exists (select from pgtq.subscription s, pgtq._ticks(_q.queue_id, null, true, 1) t,
                               pgtq._undone(s.sub_id, _q.queue_id, _q.queue_data_pfx, s.sub_last_tick, t.tick_id, null, 1)
                    where s.sub_id = _q.queue_executor)
    then
        raise exception 'queue "%" has timers that are due', queue
            using errcode = 'object_in_use', hint = 'Wait until they are done, or use drop_queue(queue, true).';
    end if;
    update pgtq.queue set queue_executor = null where queue_id = _q.queue_id;
    return pgtq._unregister_consumer(queue, 'pgtq.executor');
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.detach_executor(text) is 'End the running of actions on a queue';
