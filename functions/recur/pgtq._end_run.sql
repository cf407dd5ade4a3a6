create or replace function pgtq._end_run(i_row pgtq.delay)
returns void
as $$
-- Schedules the next run of a schedule, when one has come to its end: i_row is the event that it was.  A
-- next one whose time has come meanwhile is due at once, and the mover decides what becomes of it.  The
-- sessions of the executor do the same in src/executor/chain.c.
declare
    _run    pgtq.run := i_row.ev_run;
    _next   pgtq.run;
    _now    constant timestamptz := pgtq._now();
begin
    if _run.next is null
        or not exists (select from pgtq.schedule where sc_id = i_row.ev_schedule and sc_epoch = _run.epoch)
    then
        return;
    end if;
    _next.epoch := _run.epoch;
    _next.n := _run.n + 1;
    _next.planned := _run.next;
    if _run.next_due <= _now then
        _next.began := _run.began;
    end if;
    i_row.dl_due := greatest(_run.next_due, _now);
    i_row.ev_run := _next;
    i_row.ev_id := null;
    i_row.ev_time := null;
    i_row.ev_owner := null;
    i_row.ev_retry := null;
    i_row.ev_expires := null;
    i_row.ev_created := _now;
    i_row.ev_timer := nextval('pgtq.timer_id_seq');
    perform pgtq._store(i_row);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._end_run(pgtq.delay) is 'Internal: schedule the next run when one has come to its end';
