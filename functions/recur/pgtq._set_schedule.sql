create or replace function pgtq._set_schedule(i_role oid, i_new pgtq.schedule, i_queue text)
returns bigint
as $$
-- Makes a schedule for a role, or changes the one of that name: checks everything, and schedules its next
-- run.  Of i_new only what a user gives is taken.
--
-- Returns its id.  A definition that is what it was changes nothing, not even the time of the next run.
-- Writes: pgtq.schedule, pgtq.schedule_end, the delay store, pgtq.role.
declare
    _s          pgtq.schedule := i_new;
    _old        pgtq.schedule;
    _planned    timestamptz;
    _job        pgtq.job;
begin
    perform pgtq._require_read_committed_for('a schedule');
    if _s.sc_name is null or length(_s.sc_name) not between 1 and 255 then
        raise exception 'the name of a schedule must have 1 to 255 characters' using errcode = 'invalid_parameter_value';
    end if;
    _s.sc_queue := (pgtq._check_schedule(i_queue, true, _s.sc_timeout, coalesce(_s.sc_attempts, 1), _s.sc_backoff, null, false, 'keep', null)).queue_id;
    perform pgtq._check_timer(now(), true, _s.sc_action, false, null);
    perform pgtq._check_recurrence(_s);
    _s.sc_role := i_role;
    _s.sc_timezone := pgtq._check_zone(_s.sc_timezone);
    _s.sc_parsed := null;
    if _s.sc_cron is not null then
        _s.sc_every := pgtq._cron_every(_s.sc_cron);
        if _s.sc_every is null then
            _s.sc_parsed := pgtq._parse_cron(_s.sc_cron);
        end if;
    else
        perform pgtq._check_every(_s.sc_every);
    end if;
    if _s.sc_drift = 'end' and _s.sc_every is null then
        raise exception 'drift => ''end'' needs an interval' using errcode = 'invalid_parameter_value';
    end if;
    _s.sc_window := coalesce(_s.sc_window, case when _s.sc_catch_up = 'none' then interval '1 minute' end);
    _s.sc_timeout := nullif(_s.sc_timeout, 0);
    _s.sc_attempts := coalesce(_s.sc_attempts, 1);
    _s.sc_backoff := nullif(_s.sc_backoff, '1 second');
    _s.sc_job := coalesce(_s.sc_job, false);
    if _s.sc_job then
        if i_queue is distinct from 'timers' then
            raise exception 'a schedule of jobs has no queue' using errcode = 'invalid_parameter_value', hint = 'Leave out queue.';
        end if;
        _job := pgtq._schedule_job(_s, now());
        perform pgtq._check_job(_job, _job.jo_expires - _job.jo_due);
    elsif _s.sc_options is not null then
        raise exception 'job_options need job => true' using errcode = 'invalid_parameter_value';
    end if;
    perform pgtq._note_role(i_role);

    -- the name is taken, by this or by an earlier call, and the row is locked
    _s.sc_id := nextval('pgtq.schedule_id_seq');
    _s.sc_created := pgtq._now();
    _s.sc_anchor := coalesce(_s.sc_start, _s.sc_created);
    _s.sc_epoch := 1;
    _s.sc_paused := false;
    insert into pgtq.schedule select (_s).* on conflict do nothing;
    if not found then
        select * into strict _old from pgtq.schedule where sc_role = i_role and sc_name = _s.sc_name for update;
        _s.sc_id := _old.sc_id;
        _s.sc_created := _old.sc_created;
        _s.sc_paused := _old.sc_paused;
        _s.sc_epoch := _old.sc_epoch;
        if _s.sc_start is not distinct from _old.sc_start and _s.sc_every::text is not distinct from _old.sc_every::text then
            _s.sc_anchor := _old.sc_anchor;
        end if;
        if _s::text = _old::text then           -- not as values: a month equals 30 days
            return _s.sc_id;
        end if;
        perform pgtq._take_run(_old);
        delete from pgtq.schedule_end where se_schedule = _s.sc_id;
        _s.sc_epoch := _old.sc_epoch + 1;
        update pgtq.schedule
           set (sc_epoch, sc_queue, sc_action, sc_cron, sc_parsed, sc_every, sc_anchor, sc_timezone, sc_start, sc_end, sc_max_runs,
                sc_overlap, sc_catch_up, sc_window, sc_jitter, sc_drift, sc_timeout, sc_attempts, sc_backoff, sc_job, sc_options)
             = (_s.sc_epoch, _s.sc_queue, _s.sc_action, _s.sc_cron, _s.sc_parsed, _s.sc_every, _s.sc_anchor, _s.sc_timezone, _s.sc_start,
                _s.sc_end, _s.sc_max_runs, _s.sc_overlap, _s.sc_catch_up, _s.sc_window, _s.sc_jitter, _s.sc_drift, _s.sc_timeout,
                _s.sc_attempts, _s.sc_backoff, _s.sc_job, _s.sc_options)
         where sc_id = _s.sc_id;
    end if;

    _planned := pgtq._next_planned(_s, pgtq._now());
    if _planned is null then
        raise exception 'schedule "%" has no run: it ends before the first one', _s.sc_name
            using errcode = 'invalid_parameter_value', detail = format('end_at is %s.', _s.sc_end);
    end if;
    perform pgtq._store_run(_s, 1, _planned, case when _s.sc_paused then 'infinity' else pgtq._jittered(_s, _planned) end);
    return _s.sc_id;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._set_schedule(oid, pgtq.schedule, text) is 'Internal: make or change a schedule of a role';
