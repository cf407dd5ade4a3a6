create or replace function pgtq.insert_event_raw(
    queue_name text, ev_id bigint, ev_time timestamptz, ev_owner integer, ev_retry integer,
    ev_type text, ev_data text, ev_extra1 text, ev_extra2 text, ev_extra3 text, ev_extra4 text)
returns bigint
-- Appends an event to a queue.  insert_event() is the one for applications.
--
-- Parameters: ev_id null takes the next id, ev_time null is now(), ev_owner is the
-- subscription that a retried event is for.
-- Returns the event's id.
--
-- A value of the id sequence is used up by every call, also when ev_id is given: it tells
-- the ticker that there is something new.  The transaction gets its id before that, so that
-- the ticker sees it running.  Then: lock the current table, check that it is still the
-- current one (see _current_table), insert.
--@c
as 'MODULE_PATHNAME', 'pgtq_insert_event_raw' language c;
--@pl
as $$
#variable_conflict use_variable
declare
    _queue_id   integer;
    _prefix     text;
    _disabled   boolean;
    _limit      integer;
    _txid       xid8;
    _next_id    bigint;
    _n          bigint;
    _setting    text;
    _count      bigint;
begin
    if queue_name is null then
        raise exception 'Queue name must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    select q.queue_id, q.queue_data_pfx, q.queue_disable_insert, q.queue_per_tx_limit,
           pg_catalog.pg_current_xact_id(), pg_catalog.nextval(q.queue_event_seq::regclass),
           pg_catalog.pg_sequence_last_value((q.queue_data_pfx || '_cur_seq')::regclass)
      into _queue_id, _prefix, _disabled, _limit, _txid, _next_id, _n
      from pgtq.queue q where q.queue_name = queue_name;
    if not found then
        raise exception 'No such queue'
            using errcode = 'undefined_object', detail = pg_catalog.format('Queue: %s', queue_name),
                  hint = 'Queues are made with create_queue().';
    end if;
    if _disabled and pg_catalog.current_setting('session_replication_role') <> 'replica' then
        raise exception 'Insert into queue disallowed'
            using errcode = 'object_not_in_prerequisite_state', detail = pg_catalog.format('Queue: %s', queue_name);
    end if;

    -- the count is kept for the length of the transaction, and a rolled back savepoint
    -- takes its events out of it; whoever sets it by hand only fools the own limit
    if _limit is not null then
        _setting := 'pgtq.tx_events_' || _queue_id::text;
        _count := coalesce(nullif(pg_catalog.current_setting(_setting, true), '')::bigint, 0) + 1;
        if _count > _limit then
            raise exception 'Queue ''%'' allows max % events from one TX', queue_name, _limit
                using errcode = 'program_limit_exceeded';
        end if;
        perform pg_catalog.set_config(_setting, _count::text, true);
    end if;

    -- The INSERT takes the lock.  If the ring has moved on since the number was read, the row
    -- is in a table that is no longer the current one, where batches find it as well, and
    -- which is truncated only after that.  (The C build looks again before it inserts.)
    ev_id := coalesce(ev_id, _next_id);
    execute 'insert into ' || pg_catalog.quote_ident(pg_catalog.split_part(_prefix, '.', 1)) || '.'
            || pg_catalog.quote_ident(pg_catalog.split_part(_prefix, '.', 2) || '_' || _n::text)
            || ' values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)'
        using ev_id, coalesce(ev_time, pg_catalog.now()), _txid, ev_owner, ev_retry, ev_type, ev_data,
              ev_extra1, ev_extra2, ev_extra3, ev_extra4;
    return ev_id;
end;
$$ language plpgsql;
--@end

comment on function pgtq.insert_event_raw(text, bigint, timestamptz, integer, integer, text, text, text, text, text, text)
    is 'Append an event with a given id, time, owner and retry count';
