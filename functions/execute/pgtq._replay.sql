create or replace function pgtq._replay(i_role oid, i_timer bigint)
returns bigint
as $$
-- Schedules a dead letter again for a role, see replay().
declare
    _h      pgtq.history_0;
    _row    pgtq.delay;
    _queue  text;
begin
    select h.* into _h from pgtq.history h
     where h.hi_timer = i_timer and h.hi_status = 2 and h.hi_group is null
       and not exists (select from pgtq.history c where c.hi_timer = i_timer and c.hi_status = 6);
    if not found then
        return null;
    end if;
    perform pgtq._check_owner(i_role, _h.hi_role, i_timer);
    select queue_name into _queue from pgtq.queue where queue_id = _h.hi_queue;
    if not found then
        raise exception 'the queue of timer % was dropped', i_timer
            using errcode = 'undefined_object', hint = 'Schedule its action anew, on another queue.';
    end if;
    perform pgtq._check_schedule(_queue, true, null, null, null, null, false, 'keep', null);
    _row.ev_timer := nextval('pgtq.timer_id_seq');
    _row.ev_role := _h.hi_role;
    _row.ev_created := pgtq._now();
    _row.ev_type := 'timer';
    _row.ev_data := _h.hi_action;
    _row.ev_attempts := coalesce(_h.hi_attempts, 1);
    _row.ev_backoff := _h.hi_backoff;
    _row.ev_timeout := _h.hi_timeout;
    _row.ev_shard := _h.hi_shard;
    _row.dl_queue := _h.hi_queue;
    _row.dl_due := pgtq._now();
    perform pgtq._store(_row);
    _h.hi_status := 6;
    _h.hi_finished := pgtq._now();
    execute format('insert into %s select ($1).*', pgtq._current_table('pgtq.history')) using _h;
    return _row.ev_timer;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._replay(oid, bigint) is 'Internal: schedule a dead letter again';
