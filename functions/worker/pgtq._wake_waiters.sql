create or replace function pgtq._wake_waiters(i_queue_id integer)
returns void
-- Called by whoever has written a tick: once the transaction has committed, the sessions
-- that wait for it in wait_batch() are woken.  So it does not matter who ticks.
--@c
as 'MODULE_PATHNAME', 'pgtq_wake_waiters' language c strict;
--@pl
as $$
begin
    perform i_queue_id;     -- they look by themselves
end;
$$ language plpgsql strict;
--@end

comment on function pgtq._wake_waiters(integer) is 'Internal: after commit, wake who waits for a tick';
