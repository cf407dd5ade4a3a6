create or replace function pgtq.batch_retry(i_batch_id bigint, i_retry_seconds integer)
returns integer
as $$
-- Asks for all events of an open batch again, after some seconds.
--
-- Returns how many were added; those that were waiting already are not counted.
-- Writes: pgtq.retry_queue.
declare
    _due    constant timestamptz := clock_timestamp() + make_interval(secs => i_retry_seconds);
    _b      record;
    _count  integer;
begin
    select * into _b from pgtq._batch(i_batch_id);
    insert into pgtq.retry_queue (ev_retry_after, ev_queue, ev_id, ev_time, ev_owner, ev_retry,
                                  ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4)
    select _due, _b.queue_id,
           ev_id, ev_time, _b.sub_id, coalesce(ev_retry, 0) + 1,
           ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4
      from pgtq.get_batch_events(i_batch_id)
        on conflict do nothing;
    get diagnostics _count = row_count;
    if _count > 0 then
        perform pgtq._wake_at(_due);
    end if;
    return _count;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq.batch_retry(bigint, integer) is 'Ask for all events of a batch again, after some seconds';
