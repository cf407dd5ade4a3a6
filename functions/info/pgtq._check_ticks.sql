create or replace function pgtq._check_ticks(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Is every queue ticked?  Whoever ticks, this is what counts.  No row on a standby.
declare
    _late   text;
begin
    name := 'ticks';
    if pg_is_in_recovery() then
        return;
    end if;
    select string_agg(quote_ident(q.queue_name), ', ' order by q.queue_name) into _late
      from pgtq.queue q
      left join lateral pgtq._ticks(q.queue_id, null, true, 1) t on true
     where not q.queue_external_ticker and not q.queue_ticker_paused
       and coalesce(t.tick_time < clock_timestamp() - q.queue_ticker_idle_period * 2 - interval '10 s', true);
    if _late is null then
        status := 'ok';
        select 'all queues that have a ticker are ticked' || coalesce('; paused: ' || string_agg(quote_ident(q.queue_name), ', ' order by q.queue_name), '')
          into seen
          from pgtq.queue q where q.queue_ticker_paused;
    else
        status := 'error';
        seen := format('queues without a tick for two idle periods: %s', _late);
        if pgtq._workers_run() then
            hint := 'See the checks ticker and errors, and the server log.';
        else
            hint := 'Nobody ticks: call pgtq.ticker_loop(), or pgtq.ticker(), from a scheduler.';
        end if;
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_ticks() is 'Internal: a check of health(): is every queue ticked';
