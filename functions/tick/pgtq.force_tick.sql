create or replace function pgtq.force_tick(i_queue_name text)
returns bigint
as $$
-- Makes the next run of the ticker tick this queue, by pretending that many events came.
--
-- Returns the id of the last tick; null for an unknown queue.  Nothing is forced on a queue
-- that is paused or has an external ticker.
declare
    _q      pgtq.queue;
    _seq    regclass;
    _tick   bigint;
begin
    select * into _q from pgtq.queue where queue_name = i_queue_name;
    if not found then
        return null;
    end if;
    _seq := pgtq.quote_fqname(_q.queue_event_seq)::regclass;
    if not _q.queue_external_ticker and not _q.queue_ticker_paused then
        -- one by one: a setval() could go back behind what others have got meanwhile
        perform nextval(_seq) from generate_series(0, _q.queue_ticker_max_count::bigint * 2 + 1000);
    end if;
    select tick_id into _tick from pgtq._ticks(_q.queue_id, null, true, 1);
    return _tick;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.force_tick(text) is 'Make the next run of the ticker tick a queue; the id of its last tick';
