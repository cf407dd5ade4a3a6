create or replace function pgtq._tick(i_queue_id integer, i_force boolean)
returns bigint
-- Writes a tick if a queue needs one.
--
-- Parameters: i_force ticks at once if there is anything new, whatever max_count and
-- max_lag say, and else if the last tick is older than half an idle period.
-- Returns the tick's id, or null if none was needed, or if the queue is gone, is paused, has
-- an external ticker, or is a copy that is not to run (see adopt()).
-- Writes: the queue's ticks.
--
-- When: with new events, if there are max_count or the last tick is older than max_lag;
-- without, at twice the last interval, up to idle_period.  The id sequence tells how many
-- events are new.  It does not know of an event whose transaction was still running at the
-- last tick, so that is looked up.
--
-- Two tickers at once, or one under an old snapshot, must not write a tick that is older
-- than the one before it, or events would be delivered twice.  Hence: lock, then look, and
-- if the sequence of ticks has gone on beyond what this snapshot sees, write nothing.
--
-- The C body is for the ticker, between whose wake-up and a consumer's stands nothing but
-- this: it takes a quarter of the time.
--@c
as 'MODULE_PATHNAME', 'pgtq_tick' language c strict;
--@pl
as $$
declare
    _q          pgtq.queue;
    _event_seq  bigint;
    _last       pgtq.tick;
    _before     pgtq.tick;
    _lag        interval;
    _new        bigint;
begin
    select * into _q from pgtq.queue where queue_id = i_queue_id;
    if not found or _q.queue_external_ticker or _q.queue_ticker_paused then
        return null;
    end if;
    if _q.queue_home <> pgtq._home() and not pgtq._adopt_clone() then
        return null;
    end if;
    perform pgtq._lock_ticker(_q.queue_data_pfx);

    -- read before the snapshot is taken: too low only means one tick too many
    _event_seq := pgtq._event_seq(_q.queue_event_seq);
    select * into _last from pgtq._ticks(_q.queue_id, null, true, 1);
    if found then
        if _last.tick_id < pg_sequence_last_value(pgtq.quote_fqname(_q.queue_tick_seq)::regclass)
            and current_setting('transaction_isolation') in ('repeatable read', 'serializable')
        then
            raise warning 'no tick for queue "%": there are newer ticks than this transaction sees', _q.queue_name
                using hint = 'Call the ticker under READ COMMITTED.';
            return null;
        end if;
        if pg_snapshot_xmax(_last.tick_snapshot) > pg_snapshot_xmax(pg_current_snapshot()) then
            raise exception 'tick % of queue "%" has a snapshot from the future', _last.tick_id, _q.queue_name
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
            if not i_force and _new < _q.queue_ticker_max_count and _lag < _q.queue_ticker_max_lag then
                return null;
            end if;
        elsif i_force then
            if _lag < _q.queue_ticker_idle_period / 2 then
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
$$ language plpgsql strict set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;
--@end

comment on function pgtq._tick(integer, boolean) is 'Internal: tick a queue if it needs it';
