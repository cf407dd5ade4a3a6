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
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq.ticker(text, bigint, timestamptz, bigint) is 'Write a tick for a queue with an external ticker';

create or replace function pgtq.ticker(i_queue_name text)
returns bigint
as $$
-- Writes a tick if the queue needs one; before that, what is due leaves the delay store, for
-- all queues.  It comes with the tick after this one.
--
-- Returns the tick's id, or null if none was needed.
-- Writes: the queue's ticks and events.
--
-- When: with new events, if there are max_count or the last tick is older than max_lag;
-- without, at twice the last interval, up to idle_period.  The id sequence tells how many
-- events are new.  It does not know of an event whose transaction was still running at the
-- last tick, so that is looked up.
--
-- Two tickers at once, or one under an old snapshot, must not write a tick that is older
-- than the one before it, or events would be delivered twice.  Hence: lock, then look, and
-- if the sequence of ticks has gone on beyond what this snapshot sees, write nothing.
declare
    _q          pgtq.queue;
    _event_seq  bigint;
    _last       pgtq.tick;
    _before     pgtq.tick;
    _lag        interval;
    _new        bigint;
begin
    select * into _q from pgtq.queue where queue_name = i_queue_name;
    if not found then
        raise exception 'no such queue'
            using errcode = 'undefined_object', detail = format('Queue: %s', i_queue_name);
    end if;
    if _q.queue_external_ticker then
        raise exception 'This queue has external tick source.' using errcode = 'object_not_in_prerequisite_state';
    end if;
    if _q.queue_ticker_paused then
        raise exception 'Ticker has been paused for this queue' using errcode = 'object_not_in_prerequisite_state';
    end if;

    perform pgtq._lock_ticker(_q.queue_data_pfx);
    perform pgtq._move_due(10000);

    -- read before the snapshot is taken: too low only means one tick too many
    _event_seq := pgtq._event_seq(_q.queue_event_seq);
    select * into _last from pgtq._ticks(_q.queue_id, null, true, 1);
    if found then
        if _last.tick_id < pg_sequence_last_value(pgtq.quote_fqname(_q.queue_tick_seq)::regclass)
            and current_setting('transaction_isolation') in ('repeatable read', 'serializable')
        then
            raise warning 'no tick for queue "%": there are newer ticks than this transaction sees', i_queue_name
                using hint = 'Call the ticker under READ COMMITTED.';
            return null;
        end if;
        if pg_snapshot_xmax(_last.tick_snapshot) > pg_snapshot_xmax(pg_current_snapshot()) then
            raise exception 'tick % of queue "%" has a snapshot from the future', _last.tick_id, i_queue_name
                using errcode = 'data_corrupted',
                      detail = 'The database was restored into a server with lower transaction ids.',
                      hint = 'Events that are not delivered yet have to be inserted into a new queue.';
        end if;

        _lag := clock_timestamp() - _last.tick_time;
        if _lag < '0' then
            _lag := greatest(_q.queue_ticker_idle_period, _q.queue_ticker_max_lag);     -- the clock was set back
        end if;
        _new := _event_seq - _last.tick_event_seq;
        if _new > 0 or pgtq._events_since(_q.queue_id, _q.queue_data_pfx, _last.tick_snapshot) then
            if _new < _q.queue_ticker_max_count and _lag < _q.queue_ticker_max_lag then
                return null;
            end if;
        else
            select * into _before from pgtq._ticks(_q.queue_id, _last.tick_id - 1, true, 1);
            if found and (_lag < _q.queue_ticker_max_lag / 2
                          or (_lag < (_last.tick_time - _before.tick_time) * 2
                              and _lag < _q.queue_ticker_idle_period))
            then
                return null;
            end if;
        end if;
    end if;

    _last.tick_id := nextval(pgtq.quote_fqname(_q.queue_tick_seq)::regclass);
    perform pgtq._append_tick(_q.queue_id, _q.queue_data_pfx, _last.tick_id, clock_timestamp(), _event_seq);
    return _last.tick_id;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq.ticker(text) is 'Tick a queue if it needs it; the id of the tick, or null';

create or replace function pgtq.ticker()
returns bigint
as $$
-- Ticks all queues that need it, except paused ones and those with an external ticker.
--
-- Returns how many were ticked.
declare
    _count  bigint := 0;
    _name   text;
begin
    for _name in
        select queue_name from pgtq.queue
         where not queue_external_ticker and not queue_ticker_paused
         order by queue_name
    loop
        if pgtq.ticker(_name) is not null then
            _count := _count + 1;
        end if;
    end loop;
    return _count;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq.ticker() is 'Tick all queues that need it; how many were ticked';
