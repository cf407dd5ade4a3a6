create or replace function pgtq._wake_events(i_queue_id integer)
returns void
-- Called by whoever has put an event into a queue, or is about to: once the transaction has
-- committed, the ticker is told.  insert_event() of the C build does the same without this.
--@c
as 'MODULE_PATHNAME', 'pgtq_wake_events' language c strict;
--@pl
as $$
begin
    perform i_queue_id;     -- there is nobody to wake
end;
$$ language plpgsql strict;
--@end

comment on function pgtq._wake_events(integer) is 'Internal: after commit, tell the ticker of an event';
