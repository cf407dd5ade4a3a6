-- structure/position.sql: where each consumer stands.
--
-- next_batch() and finish_batch() update nothing.  They append to a log that is a ring of
-- three tables, and the row with the highest pos_n counts.  So a snapshot that is held
-- open somewhere, for hours, does not slow them: there are no dead rows to step over.
--
--   writing   lock the subscriber's row (this writes no new version of it), then, in a new
--             statement, read the last position, then append number + 1
--   turning   maint_rotate_tables_step2() moves on to an empty table, copies each
--             subscriber's last row into it under the same number, and truncates the table
--             before the one before, whose rows were copied a turn ago
--
-- A REPEATABLE READ transaction may see an old last position.  Then its number + 1 exists
-- already and the unique index refuses it, or it sees no position in the current table;
-- either way the answer is a serialization failure and never a wrong position.

create table pgtq.subscriber (
    sub_id          serial      not null,
    sub_queue       integer     not null,
    sub_consumer    integer     not null,

    constraint subscriber_pkey primary key (sub_id),
    constraint subscriber_queue_consumer_uq unique (sub_queue, sub_consumer),
    constraint sub_queue_fkey foreign key (sub_queue) references pgtq.queue (queue_id),
    constraint sub_consumer_fkey foreign key (sub_consumer) references pgtq.consumer (co_id)
);

comment on sequence pgtq.subscriber_sub_id_seq is 'Ids of subscriptions';
comment on table pgtq.subscriber is 'Which consumer is registered on which queue; where it stands is in the view subscription';
comment on column pgtq.subscriber.sub_id is 'id of the subscription; events that are retried carry it as ev_owner';
comment on column pgtq.subscriber.sub_queue is 'id of the queue';
comment on column pgtq.subscriber.sub_consumer is 'id of the consumer';

-- pos_sub 0 is no subscriber: its row says when a table of the ring became the current one.
-- pos_sub -1 is the mover of the delay store, which has the last three columns; see _move_due().
create table pgtq.position_0 (
    pos_sub         integer     not null,
    pos_n           bigint      not null,
    pos_time        timestamptz not null default pg_catalog.clock_timestamp(),
    pos_last_tick   bigint,
    pos_batch       bigint,
    pos_next_tick   bigint,
    pos_snapshot    pg_snapshot,
    pos_horizon     timestamptz,
    pos_late        bigint[],

    constraint position_0_pkey primary key (pos_sub, pos_n)
) with (fillfactor = 100, autovacuum_enabled = off);
create index position_0_batch_idx on pgtq.position_0 (pos_batch) where pos_batch is not null;

create table pgtq.position_1 (
    like pgtq.position_0 including defaults,
    constraint position_1_pkey primary key (pos_sub, pos_n)
) with (fillfactor = 100, autovacuum_enabled = off);
create index position_1_batch_idx on pgtq.position_1 (pos_batch) where pos_batch is not null;

create table pgtq.position_2 (
    like pgtq.position_0 including defaults,
    constraint position_2_pkey primary key (pos_sub, pos_n)
) with (fillfactor = 100, autovacuum_enabled = off);
create index position_2_batch_idx on pgtq.position_2 (pos_batch) where pos_batch is not null;

comment on table pgtq.position_0 is 'Ring of the position log; read the view position';
comment on table pgtq.position_1 is 'Ring of the position log; read the view position';
comment on table pgtq.position_2 is 'Ring of the position log; read the view position';

create sequence pgtq.position_cur_seq minvalue 0 start 0;
do $$ begin perform pg_catalog.setval('pgtq.position_cur_seq', 0); end $$;
insert into pgtq.position_0 (pos_sub, pos_n) values (0, 1);

comment on sequence pgtq.position_cur_seq is 'Number of the table of the position log that is written to';

create view pgtq.position as
    select 0 as pos_table, pos_sub, pos_n, pos_time, pos_last_tick, pos_batch, pos_next_tick, pos_snapshot, pos_horizon, pos_late from pgtq.position_0
    union all
    select 1, pos_sub, pos_n, pos_time, pos_last_tick, pos_batch, pos_next_tick, pos_snapshot, pos_horizon, pos_late from pgtq.position_1
    union all
    select 2, pos_sub, pos_n, pos_time, pos_last_tick, pos_batch, pos_next_tick, pos_snapshot, pos_horizon, pos_late from pgtq.position_2;

comment on view pgtq.position is 'The position log: of each pos_sub the row with the highest pos_n counts';
comment on column pgtq.position.pos_table is 'table of the ring that the row is in';
comment on column pgtq.position.pos_sub is 'subscriber';
comment on column pgtq.position.pos_n is 'number of the entry, one more than the one before';
comment on column pgtq.position.pos_time is 'when it was written';
comment on column pgtq.position.pos_last_tick is 'the tick up to which the consumer is done';
comment on column pgtq.position.pos_batch is 'its open batch';
comment on column pgtq.position.pos_next_tick is 'the tick at which its open batch ends';
comment on column pgtq.position.pos_snapshot is 'mover: what it saw of the delay store';
comment on column pgtq.position.pos_horizon is 'mover: all that it saw and that was due by then has left the delay store';
comment on column pgtq.position.pos_late is 'mover: except what these transactions had locked; each is xid, first and last due time in microseconds since 1970';

-- PgQ's table of the same name, read-only
create view pgtq.subscription as
    select s.sub_id, s.sub_queue, s.sub_consumer,
           p.pos_last_tick as sub_last_tick, p.pos_time as sub_active,
           p.pos_batch as sub_batch, p.pos_next_tick as sub_next_tick
      from pgtq.subscriber s
      left join lateral (
            select pos_last_tick, pos_time, pos_batch, pos_next_tick
              from pgtq.position
             where pos_sub = s.sub_id
             order by pos_n desc
             limit 1) p on true;

comment on view pgtq.subscription is 'Where each consumer stands in each queue';
comment on column pgtq.subscription.sub_id is 'id of the subscription';
comment on column pgtq.subscription.sub_queue is 'id of the queue';
comment on column pgtq.subscription.sub_consumer is 'id of the consumer';
comment on column pgtq.subscription.sub_last_tick is 'the tick up to which the consumer is done';
comment on column pgtq.subscription.sub_active is 'when it was last seen';
comment on column pgtq.subscription.sub_batch is 'its open batch';
comment on column pgtq.subscription.sub_next_tick is 'the tick at which its open batch ends';

create sequence pgtq.batch_id_seq;
comment on sequence pgtq.batch_id_seq is 'Batch ids';
