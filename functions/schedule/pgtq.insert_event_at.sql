create or replace function pgtq.insert_event_at(
    queue text, at timestamptz, ev_type text, ev_data text,
    ev_extra1 text default null, ev_extra2 text default null, ev_extra3 text default null, ev_extra4 text default null,
    key text default null)
returns bigint
-- Schedules an event for consumers: it enters the queue at a time.  It has no action.
--
-- Parameters: key: at most one timer of a key is pending in a queue; if there is one it is
-- kept, and null returned.
-- Returns the timer's id, for cancel().  The event gets its ev_id when it enters the queue, and
-- its ev_time is the time it was scheduled for.
--@c
as 'MODULE_PATHNAME', 'pgtq_insert_event_at' language c cost 100;
--@pl
as $$
#variable_conflict use_variable
declare
    _id bigint;
begin
    insert into pgtq.request (op, queue, at, is_action, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4, key, on_conflict)
        values ('schedule', queue, at, false, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4, key, 'keep')
        returning timer into _id;
    return _id;
end;
$$ language plpgsql;
--@end

comment on function pgtq.insert_event_at(text, timestamptz, text, text, text, text, text, text, text)
    is 'Put an event into a queue at a time; the id of the timer';
