-- structure/run.sql: which run of a schedule a timer is; see recur.sql.

create type pgtq.run as (
    epoch       integer,
    n           bigint,
    planned     timestamptz,
    next        timestamptz,
    next_due    timestamptz,
    began       timestamptz
);

comment on type pgtq.run is 'Which run of a schedule a timer is';
comment on column pgtq.run.epoch is 'epoch of the schedule';
comment on column pgtq.run.n is 'the how many-eth run';
comment on column pgtq.run.planned is 'the time it is planned for; it is due at that time, or up to jitter later';
comment on column pgtq.run.next is 'an event or a job: the time that the next run is planned for, which is scheduled when this one is done';
comment on column pgtq.run.next_due is 'an event or a job: when that will be due';
comment on column pgtq.run.began is 'when the run before, or as an event or a job this one, left the delay store; null: it is done, and was before planned';
