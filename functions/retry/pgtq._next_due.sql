create or replace function pgtq._next_due()
returns timestamptz
as $$
-- When the next entry that waits is due; null if none waits.
begin
    return (select min(r.ev_retry_after)
              from pgtq.queue q
             cross join lateral (select ev_retry_after from pgtq.retry_queue
                                  where ev_queue = q.queue_id order by ev_retry_after limit 1) r);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq._next_due() is 'Internal: when the next waiting entry is due';
