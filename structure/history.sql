-- structure/history.sql: what became of each timer and job.
--
-- A ring of three tables, only appended to.  maint_rotate_tables_step2() turns it, so that a
-- row is kept for pgtq.history_retention at least (24 hours) and about twice that at most.

create table pgtq.history_0 (
    hi_timer        bigint      not null,
    hi_status       smallint    not null,
    hi_attempt      integer     not null default 1,
    hi_queue        integer,
    hi_role         oid,
    hi_pid          integer,
    hi_due          timestamptz,
    hi_created      timestamptz,
    hi_started      timestamptz,
    hi_finished     timestamptz not null,
    hi_sqlstate     text,
    hi_error        text,
    hi_key          text,
    hi_shard        bigint,
    hi_timeout      integer,
    hi_attempts     integer,
    hi_backoff      interval,
    hi_action       text,
    hi_schedule     bigint,
    hi_group        text,
    hi_parent       bigint,
    hi_info         text,
    hi_output       text,
    hi_output_cut   boolean,
    hi_remote       text
) with (fillfactor = 100, autovacuum_enabled = off, toast.autovacuum_enabled = off);
create index history_0_timer_idx on pgtq.history_0 (hi_timer);
create index history_0_group_idx on pgtq.history_0 (hi_role, hi_group, hi_finished) where hi_group is not null;
create index history_0_schedule_idx on pgtq.history_0 (hi_schedule, hi_finished) where hi_schedule is not null;

create table pgtq.history_1 (like pgtq.history_0 including defaults)
    with (fillfactor = 100, autovacuum_enabled = off, toast.autovacuum_enabled = off);
create index history_1_timer_idx on pgtq.history_1 (hi_timer);
create index history_1_schedule_idx on pgtq.history_1 (hi_schedule, hi_finished) where hi_schedule is not null;
create index history_1_group_idx on pgtq.history_1 (hi_role, hi_group, hi_finished) where hi_group is not null;

create table pgtq.history_2 (like pgtq.history_0 including defaults)
    with (fillfactor = 100, autovacuum_enabled = off, toast.autovacuum_enabled = off);
create index history_2_timer_idx on pgtq.history_2 (hi_timer);
create index history_2_schedule_idx on pgtq.history_2 (hi_schedule, hi_finished) where hi_schedule is not null;
create index history_2_group_idx on pgtq.history_2 (hi_role, hi_group, hi_finished) where hi_group is not null;

comment on table pgtq.history_0 is 'Ring of the history; read the views history and timers';
comment on table pgtq.history_1 is 'Ring of the history; read the views history and timers';
comment on table pgtq.history_2 is 'Ring of the history; read the views history and timers';

-- timer 0 is none: its row says when a table of the ring became the current one
create sequence pgtq.history_cur_seq minvalue 0 start 0;
do $$ begin perform pg_catalog.setval('pgtq.history_cur_seq', 0); end $$;
insert into pgtq.history_0 (hi_timer, hi_status, hi_finished) values (0, 0, pg_catalog.clock_timestamp());

comment on sequence pgtq.history_cur_seq is 'Number of the table of the history that is written to';

create view pgtq.history as
    select * from pgtq.history_0 where hi_timer > 0
    union all
    select * from pgtq.history_1 where hi_timer > 0
    union all
    select * from pgtq.history_2 where hi_timer > 0;

comment on view pgtq.history is 'What became of each timer and job, one row for each attempt; timers and jobs are the views for users';
comment on column pgtq.history.hi_timer is 'id of the timer';
comment on column pgtq.history.hi_status is '1 fired, 2 failed, 3 cancelled, 4 expired, 5 failed and will be tried again, 6 a dead letter that was replayed or purged';
comment on column pgtq.history.hi_attempt is 'which attempt this was, from 1 on';
comment on column pgtq.history.hi_queue is 'id of its queue';
comment on column pgtq.history.hi_role is 'who scheduled it';
comment on column pgtq.history.hi_pid is 'session that ran or cancelled it';
comment on column pgtq.history.hi_due is 'when it was due';
comment on column pgtq.history.hi_created is 'when it was scheduled';
comment on column pgtq.history.hi_started is 'when its action began';
comment on column pgtq.history.hi_finished is 'when it ended';
comment on column pgtq.history.hi_sqlstate is 'how its action failed';
comment on column pgtq.history.hi_error is 'how its action failed, in words';
comment on column pgtq.history.hi_key is 'its key';
comment on column pgtq.history.hi_shard is 'its shard key; null is 0';
comment on column pgtq.history.hi_timeout is 'its timeout in milliseconds; null is pgtq.action_timeout';
comment on column pgtq.history.hi_attempts is 'how often it might be tried; null is once';
comment on column pgtq.history.hi_backoff is 'its pause before the second try; null is a second';
comment on column pgtq.history.hi_action is 'its action';
comment on column pgtq.history.hi_schedule is 'the schedule that it was a run of';
comment on column pgtq.history.hi_group is 'group of a job; null: it is a timer';
comment on column pgtq.history.hi_parent is 'the job or timer that submitted this job';
comment on column pgtq.history.hi_info is 'user data of a job';
comment on column pgtq.history.hi_output is 'what a job returned';
comment on column pgtq.history.hi_output_cut is 'it returned more';
comment on column pgtq.history.hi_remote is 'where the SQL of a job was sent to';
