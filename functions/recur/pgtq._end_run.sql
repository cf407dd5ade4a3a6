create or replace function pgtq._end_run(i_schedule bigint, i_run pgtq.run)
returns void
as $$
-- Schedules the next run of a schedule, when one has come to its end, whatever that was; nothing, if it was
-- none.  A next one whose time has come meanwhile is due at once, and the mover decides what becomes of it.  The
-- sessions of timers and jobs do the same in src/delay/recur.c.
declare
    _s      pgtq.schedule;
    _now    constant timestamptz := pgtq._now();
begin
    if i_run.next is null then
        return;
    end if;
    select * into _s from pgtq.schedule where sc_id = i_schedule and sc_epoch = i_run.epoch;
    if found then
        perform pgtq._store_run(_s, i_run.n + 1, i_run.next, greatest(i_run.next_due, _now),
                                i_began => case when i_run.next_due <= _now then i_run.began end);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._end_run(bigint, pgtq.run) is 'Internal: schedule the next run when one has come to its end';
