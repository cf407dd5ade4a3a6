create or replace function pgtq._fire(i_role oid, i_timer bigint)
returns text
as $$
-- Takes a pending timer out of the store and notes that it fired.  Returns its action, which the
-- caller is about to run; null if it is not pending.
declare
    _row    pgtq.delay;
begin
    _row := pgtq._take_timer(i_timer);
    if _row.ev_timer is null then
        return null;
    end if;
    if _row.ev_role is distinct from i_role then
        raise exception 'permission denied for timer %', i_timer
            using errcode = 'insufficient_privilege',
                  detail = 'An action can be run here only by the role that scheduled it.',
                  hint = format('SET ROLE %s first.', (select quote_ident(ro_name) from pgtq.role where ro_oid = _row.ev_role limit 1));
    end if;
    if _row.ev_attempts is null then
        raise exception 'timer % has no action', i_timer
            using errcode = 'wrong_object_type', hint = 'It is an event for consumers.';
    end if;
    if _row.ev_retry is null and exists (select from pgtq.schedule
                                          where sc_id = _row.ev_schedule and sc_epoch = (_row.ev_run).epoch and sc_job)
    then
        raise exception 'timer % will be a job', i_timer
            using errcode = 'wrong_object_type', detail = 'It is a run of a schedule, and needs a session of its own.',
                  hint = 'run_now() runs it now.';
    end if;
    perform pgtq._add_history(_row, 1, pgtq._now(), null, null);
    perform pgtq._run_taken(_row);
    return _row.ev_data;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._fire(oid, bigint) is 'Internal: take a timer that is about to be run by hand';
