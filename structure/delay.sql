-- structure/delay.sql: where timers and retries wait until they are due.
--
-- One store for all queues of the database: a ring of tables, delay_0, delay_1, ..., called
-- generations.  A row of it is an event as it will enter its queue, plus dl_queue and
-- dl_due.  A live row is a pending timer (or retry), and nothing else is: whoever moves it
-- into its queue, copies it to another generation or cancels it deletes it in the same
-- transaction.
--
--   writing    into the current generation, whose number is in delay_cur_seq; lock, then
--              check again, as for events (see _current_table)
--   moving     _move_due() takes what is due; where it has looked already is in the
--              position log, under pos_sub -1
--   reclaiming _compact_delay(): a generation that is more than half dead is left, what is
--              alive in it is copied to one of the next level, and it is truncated
--
-- ev_txid is the transaction that put the row where it is, so a copy has that of its
-- copier.  Indexes: dl_due finds what becomes due; (ev_txid, dl_due) what was committed after
-- its due time had passed; ev_timer is for cancel(); the partial ones for keys and for the
-- retries of a consumer.

create sequence pgtq.timer_id_seq;
comment on sequence pgtq.timer_id_seq is 'Ids of timers, for all queues';

create table pgtq.delay (
    like pgtq.event_template including defaults,
    dl_queue    integer     not null,
    dl_due      timestamptz not null
);
alter table pgtq.delay alter column ev_id drop not null, alter column ev_time drop not null;

comment on table pgtq.delay is 'Timers and retries that are not due yet; the rows are in the tables delay_<n>';
comment on column pgtq.delay.ev_id is 'id of an event that is retried; others get theirs when they are due';
comment on column pgtq.delay.ev_time is 'time of an event that is retried; for others it will be dl_due';
comment on column pgtq.delay.ev_txid is 'transaction that put the row into this table';
comment on column pgtq.delay.ev_timer is 'id of the timer; null for a retry that a consumer asked for';
comment on column pgtq.delay.ev_role is 'who scheduled it';
comment on column pgtq.delay.dl_queue is 'id of the queue it will enter';
comment on column pgtq.delay.dl_due is 'when it will';

-- gen_state: free (empty), open (rows may come), draining (what is alive is being copied out
-- of it), emptied (nothing is alive in it, but an old snapshot may look)
create table pgtq.generation (
    gen_n           integer     not null,
    gen_level       integer     not null default 0,
    gen_state       text        not null default 'free',
    gen_block       bigint,
    gen_emptied     xid8,
    gen_emptied_at  timestamptz,
    gen_truncated   bigint      not null default 0,
    gen_copied      bigint      not null default 0,

    constraint generation_pkey primary key (gen_n),
    constraint generation_state_check check (gen_state in ('free', 'open', 'draining', 'emptied'))
);

comment on table pgtq.generation is 'The generations of the delay store: one row for each table delay_<n>';
comment on column pgtq.generation.gen_level is '0: timers are scheduled into it; else how many times its rows were copied, at most';
comment on column pgtq.generation.gen_state is 'free, open, draining or emptied';
comment on column pgtq.generation.gen_block is 'draining: the block that is next';
comment on column pgtq.generation.gen_emptied is 'emptied: transactions from this one on see it empty';
comment on column pgtq.generation.gen_emptied_at is 'emptied: since when';
comment on column pgtq.generation.gen_truncated is 'number of the last truncation of any generation that this table had';
comment on column pgtq.generation.gen_copied is 'how many rows were copied out of this table, ever';

create sequence pgtq.delay_cur_seq minvalue 0 start 0;
comment on sequence pgtq.delay_cur_seq is 'Number of the generation that timers are scheduled into';
create sequence pgtq.delay_truncated_seq minvalue 0 start 0;
comment on sequence pgtq.delay_truncated_seq is 'How often a generation was truncated; tells a session that its snapshot misses something';
do $$
begin
    perform pg_catalog.setval('pgtq.delay_cur_seq', 0), pg_catalog.setval('pgtq.delay_truncated_seq', 0);
end
$$;

-- A keyed call locks the row of its key's hash; locking writes no new version.
create table pgtq.key_lock (
    kl_hash     integer     not null,

    constraint key_lock_pkey primary key (kl_hash)
);
insert into pgtq.key_lock select n from pg_catalog.generate_series(0, 1023) n;

comment on table pgtq.key_lock is 'Locked by whoever schedules or cancels by key: one row for each hash of queue and key';
comment on column pgtq.key_lock.kl_hash is 'hash of queue and key';

-- Role oids mean nothing in another server; a restored dump finds the roles by name.  The index is
-- not unique: else whoever schedules would have to wait for a transaction that was the first
-- of its role to do so, and stays open.  A role may be here twice.
create table pgtq.role (
    ro_oid      oid         not null,
    ro_name     name        not null
);
create index role_oid_idx on pgtq.role (ro_oid);

comment on table pgtq.role is 'Roles that have scheduled timers';
comment on column pgtq.role.ro_oid is 'oid, as in ev_role and hi_role';
comment on column pgtq.role.ro_name is 'the name it had at the first call';

-- The timeline of the last move, see _note_recovery(): one row, and not in dumps.
create table pgtq.timeline (
    ti_home     text        not null,
    ti_timeline text        not null
);
insert into pgtq.timeline values ('', '');

comment on table pgtq.timeline is 'The timeline that this database was on when timers were moved last: one row';
comment on column pgtq.timeline.ti_home is 'the database that it is of, as in queue_home';
comment on column pgtq.timeline.ti_timeline is 'the timeline, as in the names of WAL files; empty: not known yet';

-- PgQ's table of the same name, read-only
create view pgtq.retry_queue as
    select dl_due as ev_retry_after, dl_queue as ev_queue, ev_id, ev_time, ev_txid, ev_owner, ev_retry,
           ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4
      from pgtq.delay
     where ev_owner is not null;

comment on view pgtq.retry_queue is 'Events that a consumer wants to see again at ev_retry_after';
