-- structure/schedules.sql: the views of schedules for users.  A role sees its own; pgtq_admin all.

create view pgtq.schedules with (security_barrier) as
    select s.sc_id as id, s.sc_name as name,
           coalesce(r.rolname, (select ro_name from pgtq.role where ro_oid = s.sc_role limit 1)) as owner,
           coalesce(s.sc_cron, 'every ' || s.sc_every) as schedule, s.sc_timezone as timezone, s.sc_action as action, q.queue_name as queue,
           case when e.se_error is not null then 'broken'
                when s.sc_paused then 'paused'
                when e.se_time is not null then 'finished'
                when d.ev_timer is not null then 'waiting'
                else 'running' end as state,
           case when not s.sc_paused then d.dl_due end as next_run,
           d.ev_timer as next_timer,
           l.hi_started as last_run, l.hi_finished as last_finished,
           case l.hi_status when 1 then 'fired' when 2 then 'failed' when 3 then 'cancelled' when 4 then 'expired' end as last_state,
           coalesce(e.se_error, l.hi_error) as last_error,
           (select pg_catalog.count(*) from pgtq.history h
             where h.hi_schedule = s.sc_id and h.hi_status = 2
               and h.hi_finished > coalesce((select pg_catalog.max(f.hi_finished) from pgtq.history f
                                              where f.hi_schedule = s.sc_id and f.hi_status = 1), '-infinity')) as failures_in_a_row,
           s.sc_overlap as overlap, s.sc_catch_up as catch_up, s.sc_window as catch_up_window, s.sc_jitter as jitter, s.sc_drift as drift,
           s.sc_start as start_at, s.sc_end as end_at, s.sc_max_runs as max_runs,
           coalesce(s.sc_timeout, 0) as timeout_ms, s.sc_attempts as max_attempts, coalesce(s.sc_backoff, '1 second') as backoff,
           s.sc_job as job, s.sc_options as job_options, s.sc_created as created_at
      from pgtq.schedule s
      left join pgtq.queue q on q.queue_id = s.sc_queue
      left join pg_catalog.pg_roles r on r.oid = s.sc_role
      left join lateral (
            select n.se_time, n.se_error from pgtq.schedule_end n
             where n.se_schedule = s.sc_id and n.se_epoch = s.sc_epoch limit 1) e on true
      left join lateral (
            select p.ev_timer, p.dl_due from pgtq.delay p
             where p.ev_schedule = s.sc_id and p.ev_retry is null and (p.ev_run).epoch = s.sc_epoch limit 1) d on true
      left join lateral (
            select h.hi_started, h.hi_finished, h.hi_status, h.hi_error from pgtq.history h
             where h.hi_schedule = s.sc_id and h.hi_status in (1, 2, 4)
             order by h.hi_finished desc limit 1) l on true
     where s.sc_role = (select oid from pg_catalog.pg_roles where rolname = current_user)
        or pg_catalog.pg_has_role(current_user, 'pgtq_admin', 'usage');

comment on view pgtq.schedules is 'Schedules; your own, or for pgtq_admin everybody''s';
comment on column pgtq.schedules.owner is 'whom it belongs to, and whom its action runs as';
comment on column pgtq.schedules.schedule is 'its cron expression or interval';
comment on column pgtq.schedules.state is 'waiting for its next run, running (a run is due, runs, or is to be tried again), paused, finished, or broken (see last_error)';
comment on column pgtq.schedules.next_run is 'when its next run is due; null while one is under way, unless they may overlap';
comment on column pgtq.schedules.next_timer is 'id of the timer, or job, of its next run';
comment on column pgtq.schedules.job is 'its runs are jobs, see pgtq.jobs';
comment on column pgtq.schedules.job_options is 'arguments of submit_job() for them';
comment on column pgtq.schedules.last_run is 'when its last run began, as long as the history knows';
comment on column pgtq.schedules.last_state is 'fired, failed or expired (not run, as it was too late)';
comment on column pgtq.schedules.last_error is 'how it failed';
comment on column pgtq.schedules.failures_in_a_row is 'how many runs have failed since the last one that did not, as far as the history goes back';

create view pgtq.schedule_runs with (security_barrier) as
    select s.sc_name as name, h.hi_timer as id, h.hi_due as fire_at, h.hi_started as fired_at, h.hi_finished as finished_at,
           h.hi_attempt as attempt, h.hi_pid as pid,
           case h.hi_status when 1 then 'fired' when 2 then 'failed' when 3 then 'cancelled' when 4 then 'expired' when 5 then 'retried' end as state,
           h.hi_sqlstate as sqlstate, h.hi_error as error, h.hi_action as action,
           coalesce(r.rolname, (select ro_name from pgtq.role where ro_oid = h.hi_role limit 1)) as owner
      from pgtq.history h
      left join pgtq.schedule s on s.sc_id = h.hi_schedule
      left join pg_catalog.pg_roles r on r.oid = h.hi_role
     where h.hi_schedule is not null and h.hi_status <> 6
       and (h.hi_role = (select oid from pg_catalog.pg_roles where rolname = current_user)
            or pg_catalog.pg_has_role(current_user, 'pgtq_admin', 'usage'));

comment on view pgtq.schedule_runs is 'Runs of schedules, one row for each attempt, as long as the history is kept; your own, or for pgtq_admin everybody''s';
comment on column pgtq.schedule_runs.name is 'name of the schedule; null: it is not there any more';
comment on column pgtq.schedule_runs.id is 'id of the timer or job';
comment on column pgtq.schedule_runs.pid is 'process that ran it';
comment on column pgtq.schedule_runs.state is 'fired, failed, expired, cancelled or retried (failed, and tried again)';
