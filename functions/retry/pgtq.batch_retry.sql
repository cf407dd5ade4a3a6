create or replace function pgtq.batch_retry(i_batch_id bigint, i_retry_seconds integer)
returns integer
as $$
-- Asks for all events of an open batch again, after some seconds.
--
-- Returns how many were added; those that were waiting already are not counted.
-- Writes: the delay store.
declare
    _b      record;
begin
    select * into _b from pgtq._batch(i_batch_id);
    return pgtq._store_retries(_b.queue_id, _b.sub_id, pgtq._now() + make_interval(secs => i_retry_seconds),
        format('select ev_id, ev_time, coalesce(ev_retry, 0) + 1 as ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4'
               ' from pgtq.get_batch_events(%s)', i_batch_id), null);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.batch_retry(bigint, integer) is 'Ask for all events of a batch again, after some seconds';
