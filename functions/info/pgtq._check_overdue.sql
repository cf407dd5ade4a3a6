create or replace function pgtq._check_overdue(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Timers that have left the store and wait to be run, for more than a minute.  It looks at the oldest of
-- each queue that has actions and at which roles they are of, 1000 at most.
declare
    _late   text;
begin
    name := 'overdue timers';
    if pg_is_in_recovery() then
        return;
    end if;
    select string_agg(format('%I: %s since %s', l.role, l.n, date_trunc('second', l.since)), ', ' order by l.since) into _late
      from (select coalesce(o.rolname, u.ev_role::text) as role, count(*) as n, min(u.ev_time) as since
              from pgtq.queue q
              join pgtq.subscription s on s.sub_id = q.queue_executor
              cross join lateral pgtq._ticks(q.queue_id, null, true, 1) t
              cross join lateral pgtq._undone(s.sub_id, q.queue_id, q.queue_data_pfx, s.sub_last_tick, t.tick_id, null, 1000) u
              left join pg_roles o on o.oid = u.ev_role
             where u.ev_time < clock_timestamp() - interval '1 min'
             group by 1) l;
    if _late is null then
        status := 'ok';
        seen := 'none has waited for more than a minute';
    else
        status := 'warn';
        seen := format('timers wait to be run, by role: %s', _late);
        if pgtq._workers_run() then
            hint := 'See the checks executor and sessions, and pgtq.why() for one of them.';
        else
            hint := 'Each role has to call pgtq.run_due() from a scheduler.';
        end if;
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_overdue() is 'Internal: a check of health(): timers that wait to be run';
