create or replace function pgtq.insert_event_in(
    queue text, delay interval, ev_type text, ev_data text,
    ev_extra1 text default null, ev_extra2 text default null, ev_extra3 text default null, ev_extra4 text default null,
    key text default null)
returns bigint
-- Schedules an event for consumers: it enters the queue after a delay, counted from the moment of
-- the call.  See insert_event_at().
--@c
as 'MODULE_PATHNAME', 'pgtq_insert_event_in' language c cost 100;
--@pl
as $$
begin
    return pgtq.insert_event_at(queue, pgtq._now() operator(pg_catalog.+) delay, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4, key);
end;
$$ language plpgsql;
--@end

comment on function pgtq.insert_event_in(text, interval, text, text, text, text, text, text, text)
    is 'Put an event into a queue after a delay; the id of the timer';
