create or replace function pgtq._store_retries(i_queue_id integer, i_sub integer, i_at timestamptz, i_events text, i_event_id bigint)
returns integer
as $$
-- Puts events into the delay store, to come back to one consumer at a time; those that wait for
-- their retry already are left out.
--
-- Parameters: i_events is a query that gives rows of pgtq.event_template, with $4 for i_event_id.
-- Returns how many were added.
-- Writes: the delay store.
--
-- The lock of the subscriber's row lets one session at a time look and add.  An old snapshot
-- (REPEATABLE READ) does not see what was added meanwhile; there the unique index of each
-- generation helps.
declare
    _sql    text;
    _count  integer;
begin
    perform from pgtq.subscriber where sub_id = i_sub for update;
    _sql := format(
        'insert into %s (ev_id, ev_time, ev_owner, ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4, dl_queue, dl_due)'
        ' select distinct on (ev_id) ev_id, ev_time, $2, ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4, $1, $3'
        ' from (%s) e where not exists (%s) order by ev_id',
        pgtq._current_table('pgtq.delay'), i_events,
        pgtq._ring_sql('pgtq.delay', 'select 1 from %s d where d.ev_owner = $2 and d.ev_id = e.ev_id'));
    if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
        begin
            execute _sql using i_queue_id, i_sub, i_at, i_event_id;
            get diagnostics _count = row_count;
        exception
            when unique_violation then
                raise exception 'could not serialize access due to concurrent update'
                    using errcode = 'serialization_failure';
        end;
    else
        execute _sql using i_queue_id, i_sub, i_at, i_event_id;
        get diagnostics _count = row_count;
    end if;
    if _count > 0 then
        perform pgtq._wake_at(i_at);
    end if;
    return _count;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._store_retries(integer, integer, timestamptz, text, bigint) is 'Internal: put events into the delay store for a consumer';
