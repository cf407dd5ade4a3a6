create or replace function pgtq._carry_due()
returns void
as $$
-- Carries timers that have been due for a minute and that nobody runs, as those of a role that has no
-- run_due(): copies them into pgtq.carried, so that the position of the executor can move on, and tables of events
-- can be truncated.  Those whose role is gone have failed.  The executor, where there is one, does that itself.
--
-- One does this at a time, by a lock on the subscriber, and what it ends or carries it has locked as whoever runs it does: a
-- session of a role that is gone may still be running.
--
-- Writes: pgtq.carried, the history, the done log, the position log.
declare
    _before constant timestamptz := pgtq._now() - interval '1 minute';
    _q      record;
    _role   oid;
    _mine   boolean;
    _last   bigint;
    _newest bigint;
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
        select q.queue_id, q.queue_data_pfx, q.queue_executor as sub_id from pgtq.queue q where q.queue_executor is not null
    loop
        -- the position is read when nobody can move it on any more
        perform from pgtq.subscriber where sub_id = _q.sub_id for update skip locked;
        continue when not found;
        select sub_last_tick into _last from pgtq.subscription where sub_id = _q.sub_id;
        select t.tick_id into _newest from pgtq._ticks(_q.queue_id, null, true, 1) t;
        continue when (_newest > _last) is not true;
        for _role in
            select distinct u.ev_role from pgtq._undone(_q.sub_id, _q.queue_id, _q.queue_data_pfx, _last, _newest, null, null) u
             where u.ev_time < _before
        loop
            _mine := pgtq._lock_role(_role);
            if not exists (select from pg_roles where oid = _role) then
                continue when not _mine and exists (select from pgtq.role where ro_oid = _role);
                perform pgtq._end_due(_role, _q.sub_id, array_agg(u.ev_id), null, array_agg('28000'::text),
                                      array_agg('the role that scheduled it does not exist any more'::text))
                   from pgtq._undone(_q.sub_id, _q.queue_id, _q.queue_data_pfx, _last, _newest, null, null) u
                  where u.ev_role is not distinct from _role;
            elsif _mine then
                insert into pgtq.carried
                select u.*, _q.sub_id, _newest
                  from pgtq._undone(_q.sub_id, _q.queue_id, _q.queue_data_pfx, _last, _newest, _role, null) u
                 where u.ev_time < _before;
            end if;
        end loop;
        perform pgtq._advance_executor(_q.sub_id);
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._carry_due() is 'Internal: carry timers that are due and that nobody runs';
