create or replace function pgtq.maint_retry_events()
returns integer
as $$
-- Moves all that is due from the delay store into the queues: retries and timers.  The ticker
-- does this by itself; calling it is for queues that have no ticker, or a paused one.
--
-- Returns how many.
begin
    perform pgtq._note_recovery();
    return (select moved from pgtq._move_due(2147483647));
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.maint_retry_events() is 'Move what is due from the delay store into the queues; how many';
