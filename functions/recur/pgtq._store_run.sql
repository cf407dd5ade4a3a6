create or replace function pgtq._store_run(i_schedule pgtq.schedule, i_n bigint, i_planned timestamptz, i_due timestamptz,
    i_timer bigint default null, i_began timestamptz default null)
returns bigint
as $$
-- Schedules a run, as timer i_timer or a new one.  Returns the timer's id.
--
-- Parameters: i_n is the number of the run; for null it is one outside of the plan, after which no other comes.
-- i_began is when the run before left the store, if this one's time has come meanwhile.
declare
    _row    pgtq.delay;
begin
    _row.dl_queue := i_schedule.sc_queue;
    _row.dl_due := i_due;
    _row.ev_timer := coalesce(i_timer, nextval('pgtq.timer_id_seq'));
    _row.ev_role := i_schedule.sc_role;
    _row.ev_created := pgtq._now();
    _row.ev_type := 'timer';
    _row.ev_data := i_schedule.sc_action;
    _row.ev_attempts := i_schedule.sc_attempts;
    _row.ev_timeout := i_schedule.sc_timeout;
    _row.ev_backoff := i_schedule.sc_backoff;
    _row.ev_schedule := i_schedule.sc_id;
    if i_n is not null then
        _row.ev_run := row(i_schedule.sc_epoch, i_n, i_planned, null, null, i_began)::pgtq.run;
    end if;
    perform pgtq._store(_row);
    return _row.ev_timer;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._store_run(pgtq.schedule, bigint, timestamptz, timestamptz, bigint, timestamptz) is 'Internal: schedule a run of a schedule';
