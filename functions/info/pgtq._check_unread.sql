create or replace function pgtq._check_unread(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Queues that get events and have no consumer.  Nobody will read these: a rotation throws them away.
-- Until then they take up space.
declare
    _queues text;
begin
    name := 'unread queues';
    select string_agg(format('%I (%s)', u.queue_name, u.size), ', ' order by u.queue_name) into _queues
      from (select q.queue_name,
                   pg_size_pretty((select sum(pg_total_relation_size(i.inhrelid)) from pg_inherits i
                                    where i.inhparent = to_regclass(q.queue_data_pfx))) as size
              from pgtq.queue q
             where not exists (select from pgtq.subscriber s where s.sub_queue = q.queue_id)
               and pgtq._event_seq(q.queue_event_seq) > 0
               and exists (select from pg_inherits i
                            where i.inhparent = to_regclass(q.queue_data_pfx) and pg_relation_size(i.inhrelid) > 0)) u;
    if _queues is null then
        status := 'ok';
        seen := 'every queue with events has a consumer';
    else
        status := 'warn';
        seen := format('queues with events and without a consumer: %s', _queues);
        hint := 'Register a consumer before events come in: what is written before will not be read. Or drop the queue.';
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_unread() is 'Internal: a check of health(): queues that nobody reads';
