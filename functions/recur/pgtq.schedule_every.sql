create or replace function pgtq.schedule_every(
    name text, every interval, action text,
    timezone text default 'UTC',
    start_at timestamptz default null, end_at timestamptz default null, max_runs bigint default null,
    overlap text default 'skip', catch_up text default 'one', catch_up_window interval default null, jitter interval default null,
    drift text default 'planned', queue text default 'timers', timeout_ms integer default 0,
    max_attempts integer default 1, backoff interval default '1 second',
    job boolean default false, job_options jsonb default null)
returns bigint
as $$
-- Schedules SQL to be run again and again, as the calling role.
--
-- Parameters: every is how often, 100 ms at least.  It is counted from start_at, which is the first run then, else
-- from the call; days and months in it are those of timezone.  The others are those of schedule_cron().
-- Returns the schedule's id.
#variable_conflict use_variable
declare
    _s  pgtq.schedule;
    _id bigint;
begin
    _s.sc_name := name;
    _s.sc_every := every;
    _s.sc_action := action;
    _s.sc_timezone := timezone;
    _s.sc_start := start_at;
    _s.sc_end := end_at;
    _s.sc_max_runs := max_runs;
    _s.sc_overlap := overlap;
    _s.sc_catch_up := catch_up;
    _s.sc_window := catch_up_window;
    _s.sc_jitter := jitter;
    _s.sc_drift := drift;
    _s.sc_timeout := timeout_ms;
    _s.sc_attempts := max_attempts;
    _s.sc_backoff := backoff;
    _s.sc_job := job;
    _s.sc_options := job_options;
    insert into pgtq.request (op, schedule, queue) values ('set_schedule', _s, queue) returning timer into _id;
    return _id;
end;
$$ language plpgsql;

comment on function pgtq.schedule_every(text, interval, text, text, timestamptz, timestamptz, bigint, text, text, interval, interval, text, text, integer, integer, interval, boolean, jsonb)
    is 'Run SQL again and again, every so often; the id of the schedule';
