-- structure/queue.sql: queues, the tables of their events, and who consumes.
--
-- A queue with id 7 owns
--
--   event_7                 parent of its event tables, always empty
--   event_7_0 .. event_7_n  the ring: events are appended to the current table,
--                           old tables are truncated once every consumer is past them
--   tick_7_0 .. tick_7_n    the ticks that were made while the event table of the same
--                           number was current; they live exactly as long as its events
--   event_7_id_seq          event ids
--   event_7_tick_seq        tick ids
--   event_7_cur_seq         number of the current table
--
-- The number of the current table stands in a sequence because a sequence is read
-- outside of any snapshot: a REPEATABLE READ writer sees where to write today, not where
-- one wrote when its transaction began.  Only setval() writes it, so a crash leaves it
-- exact.  pgtq.queue.queue_cur_table repeats it for people and PgQ's tools.

create table pgtq.queue (
    queue_id                    serial      not null,
    queue_name                  text        not null,

    queue_ntables               integer     not null default 3,
    queue_cur_table             integer     not null default 0,
    queue_rotation_period       interval    not null default '2 hours',
    queue_switch_step1          bigint      not null default pg_catalog.pg_current_xact_id()::text::bigint,
    queue_switch_step2          bigint               default pg_catalog.pg_current_xact_id()::text::bigint,
    queue_switch_time           timestamptz not null default pg_catalog.now(),

    queue_external_ticker       boolean     not null default false,
    queue_disable_insert        boolean     not null default false,
    queue_ticker_paused         boolean     not null default false,

    queue_ticker_max_count      integer     not null default 500,
    queue_ticker_max_lag        interval    not null default '3 seconds',
    queue_ticker_idle_period    interval    not null default '1 minute',
    queue_per_tx_limit          integer,

    queue_data_pfx              text        not null,
    queue_event_seq             text        not null,
    queue_tick_seq              text        not null,

    queue_extra_maint           text[],

    queue_first_tick            bigint      not null default 1,
    queue_executor              integer,
    queue_home                  text        not null,

    constraint queue_pkey primary key (queue_id),
    constraint queue_name_uq unique (queue_name),
    constraint queue_rotation_period_check check (queue_rotation_period between '0' and '1000 years'),
    constraint queue_ticker_max_count_check check (queue_ticker_max_count >= 0),
    constraint queue_ticker_max_lag_check check (queue_ticker_max_lag between '0' and '1000 years'),
    constraint queue_ticker_idle_period_check check (queue_ticker_idle_period between '0' and '1000 years'),
    constraint queue_per_tx_limit_check check (queue_per_tx_limit >= 0)
);

comment on sequence pgtq.queue_queue_id_seq is 'Ids of queues';
comment on table pgtq.queue is 'Queues and their settings; see set_queue_config()';
comment on column pgtq.queue.queue_ntables is 'how many tables the ring has now; it grows while something keeps the oldest from being truncated';
comment on column pgtq.queue.queue_cur_table is 'number of the event table that is written to; for reading only';
comment on column pgtq.queue.queue_rotation_period is 'how long a table is written to before the next one is';
comment on column pgtq.queue.queue_switch_step1 is 'transaction of the last rotation; for reading only';
comment on column pgtq.queue.queue_switch_step2 is 'transaction in which maint_rotate_tables_step2() saw the last rotation; for reading only';
comment on column pgtq.queue.queue_switch_time is 'when the last rotation was';
comment on column pgtq.queue.queue_external_ticker is 'ticks come from elsewhere, by ticker(queue, id, time, event_seq)';
comment on column pgtq.queue.queue_disable_insert is 'refuse insert_event(), except under session_replication_role = replica';
comment on column pgtq.queue.queue_ticker_paused is 'make no ticks';
comment on column pgtq.queue.queue_ticker_max_count is 'tick when this many events are waiting';
comment on column pgtq.queue.queue_ticker_max_lag is 'tick when an event has waited this long';
comment on column pgtq.queue.queue_ticker_idle_period is 'tick at least this often when there are no events';
comment on column pgtq.queue.queue_per_tx_limit is 'how many events one transaction may insert; null is no limit';
comment on column pgtq.queue.queue_data_pfx is 'the event tables are called this plus _0, _1, ...';
comment on column pgtq.queue.queue_event_seq is 'the sequence of event ids';
comment on column pgtq.queue.queue_tick_seq is 'the sequence of tick ids';
comment on column pgtq.queue.queue_extra_maint is 'functions that maint_operations() lists for this queue';

comment on column pgtq.queue.queue_executor is 'subscription of the executor, which runs the actions of timers; null: none, see attach_executor()';
comment on column pgtq.queue.queue_home is 'the database that it was made in, or adopted by; see adopt()';
comment on column pgtq.queue.queue_first_tick is 'events since this tick are all there; register_consumer_at() goes no further back';

create table pgtq.event_template (
    ev_id       bigint      not null,
    ev_time     timestamptz not null,
    ev_txid     xid8        not null default pg_catalog.pg_current_xact_id(),
    ev_owner    integer,
    ev_retry    integer,
    ev_type     text,
    ev_data     text,
    ev_extra1   text,
    ev_extra2   text,
    ev_extra3   text,
    ev_extra4   text,

    ev_timer    bigint,
    ev_role     oid,
    ev_created  timestamptz,
    ev_attempts integer,
    ev_timeout  integer,
    ev_backoff  interval,
    ev_expires  timestamptz,
    ev_shard    bigint,
    ev_key      text,
    ev_schedule bigint,
    ev_run      pgtq.run
);

comment on table pgtq.event_template is 'Parent of all event tables; its privileges are copied to them by grant_perms()';
comment on column pgtq.event_template.ev_id is 'unique in the queue; a retried event keeps its id';
comment on column pgtq.event_template.ev_time is 'when it was inserted';
comment on column pgtq.event_template.ev_txid is 'transaction that inserted it; this decides to which batch it belongs';
comment on column pgtq.event_template.ev_owner is 'the one subscription that a retried event is for; null: for all';
comment on column pgtq.event_template.ev_retry is 'how many times it has been retried; null: never';
comment on column pgtq.event_template.ev_type is 'user data';
comment on column pgtq.event_template.ev_data is 'user data; the SQL of an action';
comment on column pgtq.event_template.ev_timer is 'id of the timer that it was; null: none';
comment on column pgtq.event_template.ev_role is 'who scheduled the timer, and whom its action runs as';
comment on column pgtq.event_template.ev_created is 'when the timer was scheduled';
comment on column pgtq.event_template.ev_attempts is 'how many times its action may be tried; null: it has no action';
comment on column pgtq.event_template.ev_timeout is 'how long its action may take, in milliseconds; null: pgtq.action_timeout';
comment on column pgtq.event_template.ev_backoff is 'pause before a failed action is tried again, doubled each time; null: 1 second';
comment on column pgtq.event_template.ev_expires is 'when its action is no longer to be run; null: never';
comment on column pgtq.event_template.ev_shard is 'shard key of the timer; null: 0';
comment on column pgtq.event_template.ev_key is 'key of the timer';
comment on column pgtq.event_template.ev_schedule is 'id of the schedule that it is a run of; null: none';
comment on column pgtq.event_template.ev_run is 'which run of it; null: one that is not of its plan, see run_now()';

create table pgtq.consumer (
    co_id       serial      not null,
    co_name     text        not null,

    constraint consumer_pkey primary key (co_id),
    constraint consumer_name_uq unique (co_name)
);

comment on sequence pgtq.consumer_co_id_seq is 'Ids of consumers';
comment on table pgtq.consumer is 'Names of consumers';
comment on column pgtq.consumer.co_id is 'internal id';
comment on column pgtq.consumer.co_name is 'the name a consumer registers under, in any number of queues';
