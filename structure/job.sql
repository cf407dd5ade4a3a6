-- structure/job.sql: jobs that are not done yet.
--
-- A job has a session and transactions of its own, and may live long.  So it does not go through the
-- queues but stands here, in an ordinary table, from submit_job() until it is done; then its row goes, and
-- what became of it is in the history, as for timers.  A live row is a job that is not done, and
-- nothing else is.
--
--   jo_state 0 planned: it waits for its time, its group or a session
--            1 taken: it was chosen, and gets a session
--            2 running: this is committed, and flushed, before its first statement begins
--
-- What a job does is committed by itself, so that it was done and that it is marked as done are two commits.  A
-- job that is found running and has no session any more may have done all, some or nothing: jo_on_crash
-- says whether it is run again or reported.
--
-- jo_txid is the transaction that submitted it, or planned it anew.  The job worker keeps all jobs in
-- memory, and reads by it what is not visible in its last snapshot.  So it never walks over what is
-- dead, however long a snapshot is held somewhere.

create table pgtq.job (
    jo_id           bigint      not null,
    jo_txid         xid8        not null default pg_catalog.pg_current_xact_id(),
    jo_home         text        not null,
    jo_role         oid         not null,
    jo_state        smallint    not null default 0,
    jo_due          timestamptz not null,
    jo_created      timestamptz not null,
    jo_expires      timestamptz,
    jo_attempt      integer     not null default 0,
    jo_attempts     integer     not null default 1,
    jo_backoff      interval    not null default '1 second',
    jo_on_crash     text        not null default 'fail',
    jo_timeout      integer,
    jo_group        text        not null,
    jo_limit        integer,
    jo_pause        interval,
    jo_priority     integer     not null default 0,
    jo_life         interval,
    jo_count        integer,
    jo_capture      text,
    jo_output_limit integer     not null default 65536,
    jo_header       boolean     not null default true,
    jo_delimiter    text        not null default E'\t',
    jo_quote        text        not null default '',
    jo_escape       text        not null default '',
    jo_null         text        not null default E'\\N',
    jo_strings      boolean     not null default true,
    jo_parent       bigint,
    jo_info         text,
    jo_schedule     bigint,
    jo_run          pgtq.run,
    jo_pid          integer,
    jo_started      timestamptz,
    jo_remote       text,
    jo_action       text        not null,

    constraint job_pkey primary key (jo_id)
) with (fillfactor = 70);
create index job_txid_idx on pgtq.job (jo_txid);
create index job_role_idx on pgtq.job (jo_role, jo_group);
create index job_remote_idx on pgtq.job (jo_id) where jo_remote is not null;
create index job_schedule_idx on pgtq.job (jo_schedule) where jo_schedule is not null;

comment on table pgtq.job is 'Jobs that are not done; jobs is the view for users';
comment on column pgtq.job.jo_id is 'id of the job, of the same sequence as those of timers';
comment on column pgtq.job.jo_txid is 'transaction that submitted it or planned it anew';
comment on column pgtq.job.jo_home is 'the database that it was submitted in, or that adopted it; see adopt()';
comment on column pgtq.job.jo_role is 'who submitted it, and whom it runs as';
comment on column pgtq.job.jo_state is '0 planned, 1 taken, 2 running';
comment on column pgtq.job.jo_due is 'when it may begin';
comment on column pgtq.job.jo_created is 'when it was submitted';
comment on column pgtq.job.jo_expires is 'when it is no longer to be begun; null: never';
comment on column pgtq.job.jo_attempt is 'how many times it was tried';
comment on column pgtq.job.jo_attempts is 'how many times it may be tried';
comment on column pgtq.job.jo_backoff is 'pause before it is tried again, doubled each time';
comment on column pgtq.job.jo_on_crash is 'what to do if its session is lost: fail or retry';
comment on column pgtq.job.jo_timeout is 'how long it may take, in milliseconds; null: pgtq.job_timeout';
comment on column pgtq.job.jo_group is 'its group, one of its role''s';
comment on column pgtq.job.jo_limit is 'it begins when fewer than this of its group run; null: no limit';
comment on column pgtq.job.jo_pause is 'it begins so long after the last one of its group has ended; null: at once';
comment on column pgtq.job.jo_priority is 'among the jobs of its role, higher ones come first';
comment on column pgtq.job.jo_life is 'its session takes more jobs of the group until it is so old; null: it takes none';
comment on column pgtq.job.jo_count is 'and until it has run so many; null: any number';
comment on column pgtq.job.jo_capture is 'keep the rows that it returns, as text or json; null: no';
comment on column pgtq.job.jo_output_limit is 'of these, how many bytes at most';
comment on column pgtq.job.jo_header is 'text: begin with a line of column names';
comment on column pgtq.job.jo_delimiter is 'text: what stands between columns';
comment on column pgtq.job.jo_quote is 'text: what stands around a value; empty: nothing';
comment on column pgtq.job.jo_escape is 'text: what stands before a quote or itself in a value; empty: nothing';
comment on column pgtq.job.jo_null is 'text: what stands for null';
comment on column pgtq.job.jo_strings is 'text: no quotes around numbers and booleans';
comment on column pgtq.job.jo_parent is 'the job or timer that submitted it';
comment on column pgtq.job.jo_info is 'user data';
comment on column pgtq.job.jo_schedule is 'the schedule that it is a run of';
comment on column pgtq.job.jo_run is 'which run of it';
comment on column pgtq.job.jo_pid is 'process that runs it';
comment on column pgtq.job.jo_started is 'when it began';
comment on column pgtq.job.jo_remote is 'where its SQL is sent to: a foreign server, or a connection string without a password; null: it runs here';
comment on column pgtq.job.jo_action is 'its SQL';

create view pgtq.jobs with (security_barrier) as
    select j.id, j.parent, j.state, j.task_state, j.job_group, j.fire_at, j.action,
           coalesce(r.rolname, (select ro_name from pgtq.role where ro_oid = j.role limit 1)) as submitted_by,
           j.created_at, j.started_at, j.finished_at, j.pid, j.attempts, j.sqlstate, j.error, j.output, j.output_cut,
           j.data, j.timeout_ms, j.group_limit, j.group_pause, j.priority, j.expires_at,
           (select sc_name from pgtq.schedule where sc_id = j.schedule_id) as schedule, j.remote
      from (select jo_id as id, jo_parent as parent, case jo_state when 0 then 'planned' when 1 then 'taken' else 'running' end as state,
                   case jo_state when 0 then 'PLAN' when 1 then 'TAKE' else 'WORK' end as task_state,
                   jo_group as job_group, jo_due as fire_at, jo_action as action, jo_role as role,
                   jo_created as created_at, jo_started as started_at, null::timestamptz as finished_at,
                   jo_pid as pid, jo_attempt as attempts, null::text as sqlstate, null::text as error,
                   null::text as output, false as output_cut,
                   jo_info as data, coalesce(jo_timeout, 0) as timeout_ms, jo_limit as group_limit, jo_pause as group_pause,
                   jo_priority as priority, jo_expires as expires_at, jo_schedule as schedule_id, jo_remote as remote
              from pgtq.job
            union all
            select hi_timer, hi_parent, case hi_status when 1 then 'done' when 2 then 'failed' when 3 then 'cancelled' else 'expired' end,
                   case when hi_status in (1, 2) then 'DONE' else 'STOP' end,
                   hi_group, hi_due, hi_action, hi_role, hi_created, hi_started, hi_finished,
                   hi_pid, hi_attempt, hi_sqlstate, hi_error, hi_output, coalesce(hi_output_cut, false),
                   hi_info, coalesce(hi_timeout, 0), null, null, null, null, hi_schedule, hi_remote
              from pgtq.history
             where hi_group is not null and hi_status in (1, 2, 3, 4)) j
      left join pg_catalog.pg_roles r on r.oid = j.role
     where j.role = (select oid from pg_catalog.pg_roles where rolname = current_user)
        or pg_catalog.pg_has_role(current_user, 'pgtq_admin', 'usage');

comment on view pgtq.jobs is 'All jobs that are not done, or in the history; your own, or for pgtq_admin everybody''s';
comment on column pgtq.jobs.id is 'id of the job';
comment on column pgtq.jobs.parent is 'the job or timer that submitted it';
comment on column pgtq.jobs.state is 'planned, taken (it gets a session), running, done, failed, cancelled or expired';
comment on column pgtq.jobs.task_state is 'the same in the words of pg_task: PLAN, TAKE, WORK, DONE (it was run), STOP (it was not)';
comment on column pgtq.jobs.job_group is 'its group';
comment on column pgtq.jobs.fire_at is 'when it may, or might, begin';
comment on column pgtq.jobs.action is 'its SQL';
comment on column pgtq.jobs.submitted_by is 'the role that it runs as';
comment on column pgtq.jobs.started_at is 'when it began';
comment on column pgtq.jobs.finished_at is 'when it ended';
comment on column pgtq.jobs.pid is 'process that runs it, or ran it';
comment on column pgtq.jobs.attempts is 'how many times it was tried';
comment on column pgtq.jobs.output is 'the rows that it returned, if it was submitted with capture';
comment on column pgtq.jobs.output_cut is 'there were more rows than output_limit has room for';
comment on column pgtq.jobs.data is 'user data';
comment on column pgtq.jobs.schedule is 'name of the schedule that it is a run of';
comment on column pgtq.jobs.remote is 'where its SQL is sent to; null: it runs here';
