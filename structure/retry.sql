-- structure/retry.sql: events that a consumer wants to see again later.

create table pgtq.retry_queue (
    ev_retry_after  timestamptz not null,
    ev_queue        integer     not null,
    ev_id           bigint      not null,
    ev_time         timestamptz not null,
    ev_owner        integer     not null,
    ev_retry        integer,
    ev_type         text,
    ev_data         text,
    ev_extra1       text,
    ev_extra2       text,
    ev_extra3       text,
    ev_extra4       text,

    constraint rq_pkey primary key (ev_owner, ev_id),
    constraint rq_queue_id_fkey foreign key (ev_queue) references pgtq.queue (queue_id)
);
create index rq_retry_idx on pgtq.retry_queue (ev_queue, ev_retry_after);

comment on table pgtq.retry_queue is 'Events that go back into their queue at ev_retry_after';
comment on column pgtq.retry_queue.ev_retry_after is 'when the event is due again';
comment on column pgtq.retry_queue.ev_queue is 'id of the queue';
comment on column pgtq.retry_queue.ev_owner is 'the subscription that asked for it, and alone gets it';
