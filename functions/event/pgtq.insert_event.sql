create or replace function pgtq.insert_event(queue_name text, ev_type text, ev_data text)
returns bigint
-- Appends an event to a queue.  Returns its id.
--@c
as 'MODULE_PATHNAME', 'pgtq_insert_event' language c;
--@pl
as $$
begin
    return pgtq.insert_event_raw(queue_name, null, now(), null, null, ev_type, ev_data, null, null, null, null);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;
--@end

comment on function pgtq.insert_event(text, text, text) is 'Append an event to a queue';

create or replace function pgtq.insert_event(
    queue_name text, ev_type text, ev_data text,
    ev_extra1 text, ev_extra2 text, ev_extra3 text, ev_extra4 text)
returns bigint
-- Appends an event with all its fields to a queue.  Returns its id.
--@c
as 'MODULE_PATHNAME', 'pgtq_insert_event' language c;
--@pl
as $$
begin
    return pgtq.insert_event_raw(queue_name, null, now(), null, null,
                                 ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;
--@end

comment on function pgtq.insert_event(text, text, text, text, text, text, text) is 'Append an event to a queue, with all fields';
