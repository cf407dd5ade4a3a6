create or replace function pgtq.maint_retry_events()
returns integer
as $$
-- Puts the events of all queues whose retry is due back into them.  The ticker does this by
-- itself; calling it is for queues that have no ticker, or a paused one.
--
-- Returns how many.
declare
    _count  integer;
begin
    select coalesce(sum(pgtq._move_retries(queue_id)), 0) into _count from pgtq.queue;
    return _count;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.maint_retry_events() is 'Put events whose retry is due back into their queues; how many';
