create or replace function pgtq.ticker(i_queue_name text, i_tick_id bigint, i_orig_timestamp timestamptz, i_event_seq bigint)
returns bigint
as $$
-- Writes a tick that was made elsewhere, for a queue with an external ticker.
--
-- Returns the tick's id.
-- Writes: the queue's ticks; moves its two sequences on.
declare
    _q      pgtq.queue;
    _newest bigint;
    _in_use bigint;
begin
    if i_tick_id is null or i_orig_timestamp is null or i_event_seq is null then
        raise exception 'tick id, time and event sequence must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    select * into _q from pgtq.queue
     where queue_name = i_queue_name and queue_external_ticker and not queue_ticker_paused;
    if not found then
        raise exception 'queue not found or ticker disabled: %', i_queue_name
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'Such ticks are for queues with external_ticker = true and ticker_paused = false.';
    end if;

    perform pgtq._lock_ticker(_q.queue_data_pfx);
    select tick_id into _newest from pgtq._ticks(_q.queue_id, null, true, 1);
    _in_use := pg_sequence_last_value(pgtq.quote_fqname(_q.queue_tick_seq)::regclass);
    if _newest < _in_use and current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
        raise exception 'could not serialize access due to concurrent update'
            using errcode = 'serialization_failure';
    end if;
    _newest := greatest(_newest, _in_use);
    if i_tick_id <= _newest then
        raise exception 'tick % is not after the newest tick %', i_tick_id, _newest
            using errcode = 'invalid_parameter_value';
    end if;
    perform pgtq._append_tick(_q.queue_id, _q.queue_data_pfx, i_tick_id, i_orig_timestamp, i_event_seq);

    perform pgtq.seq_setval(_q.queue_tick_seq, i_tick_id);
    perform pgtq.seq_setval(_q.queue_event_seq, i_event_seq);
    return i_tick_id;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.ticker(text, bigint, timestamptz, bigint) is 'Write a tick for a queue with an external ticker';

create or replace function pgtq.ticker(i_queue_name text)
returns bigint
as $$
-- Writes a tick if the queue needs one, by the rule of _tick(); before that, what is due leaves
-- the delay store, for all queues.  It comes with the tick after this one.
--
-- Returns the tick's id, or null if none was needed.
-- Writes: the queue's ticks and events.
declare
    _q          pgtq.queue;
begin
    select * into _q from pgtq.queue where queue_name = i_queue_name;
    if not found then
        raise exception 'no such queue'
            using errcode = 'undefined_object', detail = format('Queue: %s', i_queue_name), hint = 'pgtq.queue_stats lists the queues.';
    end if;
    if _q.queue_external_ticker then
        raise exception 'This queue has external tick source.' using errcode = 'object_not_in_prerequisite_state';
    end if;
    if _q.queue_ticker_paused then
        raise exception 'Ticker has been paused for this queue' using errcode = 'object_not_in_prerequisite_state';
    end if;

    perform pgtq._note_recovery();
    perform pgtq._move_due(10000);          -- the delay store is locked before queues, by everybody
    return pgtq._tick(_q.queue_id, false);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.ticker(text) is 'Tick a queue if it needs it; the id of the tick, or null';

create or replace function pgtq.ticker()
returns bigint
as $$
-- Ticks all queues that need it, except paused ones and those with an external ticker, in the order of
-- their ids, as everybody does.
--
-- Returns how many were ticked.
declare
    _count  bigint := 0;
    _name   text;
begin
    for _name in
        select queue_name from pgtq.queue
         where not queue_external_ticker and not queue_ticker_paused
         order by queue_id
    loop
        if pgtq.ticker(_name) is not null then
            _count := _count + 1;
        end if;
    end loop;
    return _count;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.ticker() is 'Tick all queues that need it; how many were ticked';
