create or replace function pgtq.current_event_table(x_queue_name text)
returns text
as $$
-- The event table to write to, for COPY and the like.  It is locked for writing until the
-- transaction ends, so it stays the right one for as long.
declare
    _q record;
begin
    select queue_id, queue_data_pfx, queue_disable_insert into _q
      from pgtq.queue where queue_name = x_queue_name;
    if not found then
        raise exception 'Event queue not found'
            using errcode = 'undefined_object', detail = format('Queue: %s', x_queue_name);
    end if;
    if _q.queue_disable_insert and current_setting('session_replication_role') <> 'replica' then
        raise exception 'Writing to queue disabled'
            using errcode = 'object_not_in_prerequisite_state', detail = format('Queue: %s', x_queue_name);
    end if;
    perform pgtq._wake_events(_q.queue_id);
    return pgtq._current_table(_q.queue_data_pfx);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.current_event_table(text) is 'Lock and name the event table to write to';
