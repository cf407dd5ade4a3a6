create or replace function pgtq._check_sessions(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Are all sessions busy with something slow, so that what is due waits?  Slow is: none of them has
-- come to another action for five seconds.  No row where no workers run.
declare
    _max        integer;
    _per_role   integer;
    _busy       record;
begin
    name := 'sessions';
    if not pgtq._workers_run() then
        return;
    end if;
    _max := current_setting('pgtq.max_sessions')::integer;
    _per_role := current_setting('pgtq.max_sessions_per_role')::integer;
    select count(*) as n, min(r.since) as since,
           (select string_agg(format('%I', o.rolname), ', ' order by o.rolname)
              from (select a.role from pgtq._running() a where a.since < clock_timestamp() - interval '5 s' and a.queue_id > 0
                     group by a.role having count(*) >= _per_role) full_role
              join pg_roles o on o.oid = full_role.role) as roles
      into _busy
      from pgtq._running() r
     where r.since < clock_timestamp() - interval '5 s' and r.queue_id > 0;
    if _busy.n >= _max then
        status := 'warn';
        seen := format('all %s sessions are busy with slow actions, the first since %s', _max, _busy.since);
        hint := 'See pgtq.running; raise pgtq.max_sessions, give slow actions a timeout_ms, or stop them with pgtq.cancel_running().';
    elsif _busy.roles is not null then
        status := 'warn';
        seen := format('all %s sessions of these roles are busy with slow actions: %s', _per_role, _busy.roles);
        hint := 'See pgtq.running; raise pgtq.max_sessions_per_role, or give slow actions a timeout_ms.';
    else
        status := 'ok';
        seen := format('%s of %s are busy with slow actions', _busy.n, _max);
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_sessions() is 'Internal: a check of health(): are sessions left for what is due';
