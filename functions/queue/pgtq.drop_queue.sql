create or replace function pgtq.drop_queue(x_queue_name text, x_force boolean)
returns integer
as $$
-- Drops a queue with all its events.
--
-- Parameters: x_force unregisters its consumers first; without it they are an error.
-- Returns 1.
declare
    _q      pgtq.queue;
    _n      integer := 0;
begin
    select * into _q from pgtq.queue where queue_name = x_queue_name for update;
    if not found then
        raise exception 'No such event queue'
            using errcode = 'undefined_object', detail = format('Queue: %s', x_queue_name), hint = 'pgtq.queue_stats lists the queues.';
    end if;

    if not x_force and _q.queue_executor is not null then
        perform pgtq.detach_executor(x_queue_name);
    end if;
    if x_force then
        perform pgtq._unregister_consumer(x_queue_name, c.co_name)
           from pgtq.subscriber s join pgtq.consumer c on c.co_id = s.sub_consumer
          where s.sub_queue = _q.queue_id;
    elsif exists (select from pgtq.subscriber where sub_queue = _q.queue_id and sub_id is distinct from _q.queue_executor) then
        raise exception 'cannot drop queue, consumers still attached'
            using errcode = 'object_in_use',
                  hint = 'Unregister them, or use drop_queue(queue, true).';
    end if;

    -- a writer holds the sequence before it wants a table: wait for it in the same order
    execute format('alter sequence %s no cycle', pgtq.quote_fqname(_q.queue_event_seq));
    while to_regclass(pgtq.quote_fqname(_q.queue_data_pfx || '_' || _n)) is not null loop
        execute format('drop table %s, pgtq.%I', pgtq.quote_fqname(_q.queue_data_pfx || '_' || _n),
                       format('tick_%s_%s', _q.queue_id, _n));
        _n := _n + 1;
    end loop;
    execute 'drop table ' || pgtq.quote_fqname(_q.queue_data_pfx);
    execute format('drop sequence %s, %s, %s', pgtq.quote_fqname(_q.queue_tick_seq),
                   pgtq.quote_fqname(_q.queue_event_seq),
                   pgtq.quote_fqname(_q.queue_data_pfx || '_cur_seq'));
    delete from pgtq.schedule where sc_queue = _q.queue_id;
    perform pgtq._forget_delayed('dl_queue', _q.queue_id);
    delete from pgtq.queue where queue_id = _q.queue_id;
    perform pgtq._queues_changed();
    return 1;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.drop_queue(text, boolean) is 'Drop a queue; with force, its consumers too';

create or replace function pgtq.drop_queue(x_queue_name text)
returns integer
as $$
-- Drops a queue that has no consumers.
begin
    return pgtq.drop_queue(x_queue_name, false);
end;
$$ language plpgsql strict set search_path = pg_catalog, pg_temp;

comment on function pgtq.drop_queue(text) is 'Drop a queue that has no consumers';
