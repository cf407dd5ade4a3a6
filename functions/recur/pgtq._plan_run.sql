create or replace function pgtq._plan_run(i_row pgtq.delay, i_by_hand boolean)
returns pgtq.delay
as $$
-- What is to become of a run of a schedule that was taken out of the delay store: of one that is due, for
-- the mover, or by hand, which makes it whatever its time is.
--
-- Returns the row that is to enter the queue now; nulls if none is: it was put off, is a job now, or belongs to
-- nothing any more.
-- Writes: the delay store, the history, pgtq.schedule_end, pgtq.job.  It waits for nobody, and does not fail, or nobody's timers
-- would move.
--
--   put off   a run that is not made is planned anew for a later time, and stored again: that of a schedule
--             which is paused; one whose time came while the one before ran (overlap skip); one that is later
--             than its window; and drift end, whose time is counted from when the one before ended,
--             which is when this row was stored to be due at once, whatever the jitter
--   made      the next one is planned: after this one's time with catch_up all, else after now.  With overlap
--             allow it is stored here; else the row, or the job, carries it, see _end_run()
declare
    _s      pgtq.schedule;
    _run    pgtq.run := i_row.ev_run;
    _job    pgtq.job;
    _now    constant timestamptz := pgtq._now();
    _off    timestamptz;            -- planned for then instead
    _is_made boolean := false;
    _is_late boolean := false;
begin
    select * into _s from pgtq.schedule where sc_id = i_row.ev_schedule and sc_epoch = _run.epoch;
    if not found then
        return null;
    elsif not exists (select from pg_roles where oid = _s.sc_role) then
        perform pgtq._end_schedule(i_row, 'the role that owns it does not exist any more');
        return null;
    elsif _s.sc_paused and not i_by_hand then
        -- whoever resumes it looks for it after he has changed the row; if he has not yet, he will not find it
        perform from pgtq.schedule where sc_id = _s.sc_id and sc_paused for share skip locked;
        i_row.dl_due := case when found then 'infinity' else _now + interval '1 second' end;
        perform pgtq._store(i_row);
        return null;
    end if;

    begin
        if i_by_hand then
            _is_made := true;
        elsif _run.began is not null and _s.sc_drift = 'end' then
            select e.at into _off from pgtq._next_every(_s.sc_every, i_row.dl_due, _s.sc_timezone, i_row.dl_due) e;
            _off := case when _off > _s.sc_end then null else _off end;
        elsif _run.planned > _run.began and _s.sc_overlap = 'skip' then
            _off := pgtq._next_planned(_s, _now);
        elsif _now - i_row.dl_due > _s.sc_window then
            _is_late := true;
            _off := pgtq._next_planned(_s, greatest(_run.planned, _now - _s.sc_window));
        else
            _is_made := true;
        end if;
        if _is_made then
            _run.next := case when (_run.n < _s.sc_max_runs) is false then null
                              when _s.sc_drift = 'end' then _run.planned
                              when _s.sc_catch_up = 'all' then pgtq._next_planned(_s, _run.planned)
                              else pgtq._next_planned(_s, greatest(_run.planned, _now)) end;
            if _s.sc_job and not i_by_hand then
                _job := pgtq._schedule_job(_s, i_row.dl_due);
            end if;
        end if;
    exception
        when others then
            perform pgtq._end_schedule(i_row, format('its next run could not be planned: %s (%s)', sqlerrm, sqlstate));
            return null;
    end;

    if coalesce(_off, _run.next) is null then
        perform pgtq._end_schedule(i_row, null);
    end if;
    if _is_late then
        perform pgtq._add_history(i_row, 4, null, null, null);
        i_row.ev_timer := nextval('pgtq.timer_id_seq');
    end if;
    if not _is_made then
        if _off is not null then
            perform pgtq._store_run(_s, _run.n, _off, pgtq._jittered(_s, _off), i_row.ev_timer);
        end if;
        return null;
    end if;
    _run.next_due := case when _s.sc_drift = 'end' then _now else pgtq._jittered(_s, _run.next) end;
    _run.began := _now;
    if _s.sc_overlap = 'allow' and _run.next is not null then
        perform pgtq._store_run(_s, _run.n + 1, _run.next, _run.next_due);
        _run.next := null;
    end if;
    if _job.jo_due is not null then
        _job.jo_id := i_row.ev_timer;
        _job.jo_run := _run;
        _job.jo_expires := least(_job.jo_expires, i_row.dl_due + _s.sc_window);
        perform pgtq._store_job(_job);
        return null;
    end if;
    i_row.ev_run := _run;
    i_row.ev_expires := i_row.dl_due + _s.sc_window;
    return i_row;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._plan_run(pgtq.delay, boolean) is 'Internal: what is to become of a run of a schedule that is due';
