create or replace function pgtq._queues_changed()
returns void
-- Called by whoever has changed pgtq.queue: once the transaction has committed, the ticker
-- reads it again.  A direct UPDATE is noticed within a minute.
--@c
as 'MODULE_PATHNAME', 'pgtq_queues_changed' language c;
--@pl
as $$
begin
    -- there is nobody to tell
end;
$$ language plpgsql;
--@end

comment on function pgtq._queues_changed() is 'Internal: after commit, let the ticker read the queues again';
