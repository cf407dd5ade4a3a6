create or replace function pgtq.schedule_cron(
    name text, cron text, action text,
    timezone text default 'UTC',
    start_at timestamptz default null, end_at timestamptz default null, max_runs bigint default null,
    overlap text default 'skip', catch_up text default 'one', catch_up_window interval default null, jitter interval default null,
    drift text default 'planned', queue text default 'timers', timeout_ms integer default 0,
    max_attempts integer default 1, backoff interval default '1 second',
    job boolean default false, job_options jsonb default null)
returns bigint
as $$
-- Schedules SQL to be run again and again, at the times of a cron expression, as the calling role.
--
-- Parameters:
--   name             of the schedule; one that the role has already is changed
--   cron             5 fields, or 6 with seconds first, or @daily and the like, or @every 90s
--   action           the SQL
--   timezone         whose clocks the expression is about
--   start_at, end_at no run is planned before, or after
--   max_runs         how many runs there are
--   overlap          what if the one before still runs: skip it, queue it (one, to be run when that is done), or
--                    allow it
--   catch_up         what of runs that were missed, because the server was down for instance: one of them, all
--                    or none, which is those that are not later than a minute
--   catch_up_window  with one and all: those that are not later than this
--   jitter           each run is late by a random time up to this
--   drift            planned: times are those planned.  end: an interval is counted from the end of the last run
--   queue            a queue with an executor
--   timeout_ms, max_attempts, backoff   of each run, as of schedule_at(), or submit_job()
--   job              each run is a job, with a session and transactions of its own
--   job_options      other arguments of submit_job() for these, such as {"job_group": "night", "group_limit": 1}
-- Returns the schedule's id.
#variable_conflict use_variable
declare
    _s  pgtq.schedule;
    _id bigint;
begin
    _s.sc_name := name;
    _s.sc_cron := coalesce(cron, '');
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

comment on function pgtq.schedule_cron(text, text, text, text, timestamptz, timestamptz, bigint, text, text, interval, interval, text, text, integer, integer, interval, boolean, jsonb)
    is 'Run SQL again and again, at the times of a cron expression; the id of the schedule';
