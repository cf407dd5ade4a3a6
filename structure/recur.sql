-- structure/recur.sql: schedules, that is, timers that come again and again.
--
-- A schedule is a row here, which changes only with its definition.  Where it stands is told by
-- its one pending timer in the delay store: that carries the schedule's id and an ev_run, which says
-- the how many-eth run this is, and for what time it was planned.  So the next run is never written
-- into a row that exists; it is a row of its own, appended by the transaction that takes the
-- present one away:
--
--   overlap allow        by the mover, in the move
--   overlap skip, queue  by whoever ends the run, with the mark that it is done: the mover has
--                        noted in the event, or in the job, when the next one is due
--
-- Every change of the definition raises sc_epoch.  A timer of an earlier epoch belongs to nothing:
-- the mover drops it.  docs/internals.md tells the rest.

create sequence pgtq.schedule_id_seq;
comment on sequence pgtq.schedule_id_seq is 'Ids of schedules';

create table pgtq.schedule (
    sc_id       bigint      not null default pg_catalog.nextval('pgtq.schedule_id_seq'),
    sc_epoch    integer     not null default 1,
    sc_role     oid,
    sc_name     text        not null,
    sc_queue    integer     not null,
    sc_action   text        not null,
    sc_cron     text,
    sc_parsed   pgtq.cron,
    sc_every    interval,
    sc_anchor   timestamptz not null,
    sc_timezone text        not null,
    sc_start    timestamptz,
    sc_end      timestamptz,
    sc_max_runs bigint,
    sc_overlap  text        not null,
    sc_catch_up text        not null,
    sc_window   interval,
    sc_jitter   interval,
    sc_drift    text        not null,
    sc_timeout  integer,
    sc_attempts integer     not null,
    sc_backoff  interval,
    sc_job      boolean     not null default false,
    sc_options  jsonb,
    sc_paused   boolean     not null default false,
    sc_created  timestamptz not null,

    constraint schedule_pkey primary key (sc_id),
    constraint schedule_name_uq unique (sc_role, sc_name)
);

comment on table pgtq.schedule is 'Definitions of schedules; schedules is the view for users';
comment on column pgtq.schedule.sc_id is 'id of the schedule, as in ev_schedule and hi_schedule';
comment on column pgtq.schedule.sc_epoch is 'raised by every change; a timer of another epoch does not belong to it any more';
comment on column pgtq.schedule.sc_role is 'its owner, whom its action runs as';
comment on column pgtq.schedule.sc_queue is 'id of its queue';
comment on column pgtq.schedule.sc_cron is 'its cron expression, as it was given';
comment on column pgtq.schedule.sc_parsed is 'the same, parsed; null: it has an interval';
comment on column pgtq.schedule.sc_every is 'its interval; null: it has a cron expression';
comment on column pgtq.schedule.sc_anchor is 'what the interval is counted from';
comment on column pgtq.schedule.sc_job is 'its runs are jobs, not timers';
comment on column pgtq.schedule.sc_options is 'arguments of submit_job() for these';
comment on column pgtq.schedule.sc_window is 'a run that is late by more is not made; null: it always is';

-- Written by the mover, which may wait for nobody, so it is no column of the above.
create table pgtq.schedule_end (
    se_schedule bigint      not null,
    se_epoch    integer     not null,
    se_time     timestamptz not null,
    se_error    text
);
create index schedule_end_idx on pgtq.schedule_end (se_schedule);

comment on table pgtq.schedule_end is 'Schedules that have come to their end';
comment on column pgtq.schedule_end.se_schedule is 'id of the schedule';
comment on column pgtq.schedule_end.se_epoch is 'that it has ended in; if the schedule has another one, it has been changed since';
comment on column pgtq.schedule_end.se_time is 'when';
comment on column pgtq.schedule_end.se_error is 'why, if it had not just had all its runs';
