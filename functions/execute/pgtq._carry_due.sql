create or replace function pgtq._carry_due()
returns void
as $$
-- Carries timers that have been due for a minute and that nobody runs, as those of a role that has no
-- run_due(): copies them into pgtq.carried, so that the position of the executor can move on, and tables of events
-- can be truncated.  Those whose role is gone have failed.  The executor, where there is one, does that itself.
--
-- Writes: pgtq.carried, the history, the done log, the position log.
declare
    _before constant timestamptz := pgtq._now() - interval '1 minute';
    _q      record;
    _role   oid;
begin
    begin
        lock table pgtq.carried in row exclusive mode;
    exception
        when lock_not_available then
            return;
    end;
    if pgtq._executor_runs() then
        return;
    end if;
    for _q in
        select q.queue_id, q.queue_data_pfx, s.sub_id, s.sub_last_tick,
               (select t.tick_id from pgtq._ticks(q.queue_id, null, true, 1) t) as newest
          from pgtq.queue q join pgtq.subscription s on s.sub_id = q.queue_executor
    loop
        continue when _q.newest <= _q.sub_last_tick;
        for _role in
            select distinct u.ev_role from pgtq._undone(_q.sub_id, _q.queue_id, _q.queue_data_pfx, _q.sub_last_tick, _q.newest, null, null) u
             where u.ev_time < _before
        loop
            if not exists (select from pg_roles where oid = _role) then
                perform pgtq._end_due(_role, _q.sub_id, array_agg(u.ev_id), null, array_agg('28000'::text),
                                      array_agg('the role that scheduled it does not exist any more'::text))
                   from pgtq._undone(_q.sub_id, _q.queue_id, _q.queue_data_pfx, _q.sub_last_tick, _q.newest, null, null) u
                  where u.ev_role is not distinct from _role;
            elsif pgtq._lock_role(_role) then
                insert into pgtq.carried
                select u.*, _q.sub_id, _q.newest
                  from pgtq._undone(_q.sub_id, _q.queue_id, _q.queue_data_pfx, _q.sub_last_tick, _q.newest, _role, null) u
                 where u.ev_time < _before;
            end if;
        end loop;
        perform pgtq._advance_executor(_q.sub_id);
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._carry_due() is 'Internal: carry timers that are due and that nobody runs';
