-- structure/executor.sql: what the executor has to remember.
--
-- The executor reads its queues tick by tick, as any consumer, and its position in the log is
-- the tick up to which all is done.  Of what comes after that, the done log tells what is done: a
-- session appends a row for each group of actions that it commits, in that very commit.  So a
-- crash anywhere undoes both or none, and whoever reads on after it runs again what has no mark.
--
-- The done log is a ring of three tables, only appended to.  maint_rotate_tables_step2() moves on
-- when the current one has grown, and truncates those of which every row is behind the
-- position of its executor; see _turn_done().
--
-- A row with dn_started says that an action was about to be run alone, because it may be one
-- that kills its session or the server: three of these without a mark, and it has failed.
--
-- carried is an ordinary table, and mostly empty.  What runs for long, or cannot be run for now,
-- is copied into it, so that the position can move on and tables of events can be truncated;
-- it leaves when it is done.

create table pgtq.done_0 (
    dn_sub      integer     not null,
    dn_tick     bigint      not null,
    dn_started  boolean     not null,
    dn_events   bigint[]    not null
) with (fillfactor = 100, autovacuum_enabled = off, toast.autovacuum_enabled = off);
create index done_0_tick_idx on pgtq.done_0 (dn_sub, dn_tick);

create table pgtq.done_1 (like pgtq.done_0 including defaults)
    with (fillfactor = 100, autovacuum_enabled = off, toast.autovacuum_enabled = off);
create index done_1_tick_idx on pgtq.done_1 (dn_sub, dn_tick);

create table pgtq.done_2 (like pgtq.done_0 including defaults)
    with (fillfactor = 100, autovacuum_enabled = off, toast.autovacuum_enabled = off);
create index done_2_tick_idx on pgtq.done_2 (dn_sub, dn_tick);

comment on table pgtq.done_0 is 'Ring of the done log; read the view done';
comment on table pgtq.done_1 is 'Ring of the done log; read the view done';
comment on table pgtq.done_2 is 'Ring of the done log; read the view done';

create sequence pgtq.done_cur_seq minvalue 0 start 0;
do $$ begin perform pg_catalog.setval('pgtq.done_cur_seq', 0); end $$;
comment on sequence pgtq.done_cur_seq is 'Number of the table of the done log that is written to';

create view pgtq.done as
    select * from pgtq.done_0
    union all
    select * from pgtq.done_1
    union all
    select * from pgtq.done_2;

comment on view pgtq.done is 'The done log: which events of what the executor is reading are done';
comment on column pgtq.done.dn_sub is 'subscription of the executor';
comment on column pgtq.done.dn_tick is 'the tick with which the events came';
comment on column pgtq.done.dn_started is 'not done, but about to be run alone';
comment on column pgtq.done.dn_events is 'ids of the events';

create table pgtq.carried (
    like pgtq.event_template,
    ca_sub      integer     not null,
    ca_tick     bigint      not null,

    constraint carried_pkey primary key (ca_sub, ev_id)
);

comment on table pgtq.carried is 'Timers that the executor has not done yet, but that its position is past';
comment on column pgtq.carried.ca_sub is 'subscription of the executor';
comment on column pgtq.carried.ca_tick is 'the tick with which it came';
