-- structure/tick.sql: ticks.
--
-- A tick says: all that is visible in this snapshot, and due by this horizon, has entered
-- the queue.  A batch is what lies between two ticks.  The rows are in tick_<q>_<n>, see
-- queue.sql; they are only appended, and go by TRUNCATE together with their events.

create table pgtq.tick (
    tick_queue      integer     not null,
    tick_id         bigint      not null,
    tick_time       timestamptz not null default pg_catalog.clock_timestamp(),
    tick_snapshot   pg_snapshot not null,
    tick_event_seq  bigint      not null,
    tick_horizon    timestamptz not null default pg_catalog.clock_timestamp()
);

comment on table pgtq.tick is 'Ticks of all queues; the rows are in the tables tick_<queue id>_<n>';
comment on column pgtq.tick.tick_queue is 'id of the queue';
comment on column pgtq.tick.tick_id is 'ever rising within the queue';
comment on column pgtq.tick.tick_time is 'when it was made';
comment on column pgtq.tick.tick_snapshot is 'which transactions had ended by then';
comment on column pgtq.tick.tick_event_seq is 'last event id given out by then; an estimate of how many events came between two ticks';
comment on column pgtq.tick.tick_horizon is 'what was due by this time has entered the queue';
