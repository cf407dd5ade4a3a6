-- structure/operators.sql: views for those who run pgtq.

create view pgtq.attempts with (security_barrier) as
    select h.hi_timer as id, h.hi_attempt as attempt,
           case h.hi_status when 1 then 'fired' when 2 then 'failed' when 4 then 'expired' when 5 then 'retried' end as state,
           h.hi_started as fired_at, h.hi_finished as finished_at, h.hi_sqlstate as sqlstate, h.hi_error as error
      from pgtq.history h
     where h.hi_status in (1, 2, 4, 5)
       and (h.hi_role = (select oid from pg_catalog.pg_roles where rolname = current_user)
            or pg_catalog.pg_has_role(current_user, 'pgtq_admin', 'usage'));

comment on view pgtq.attempts is 'Every attempt to run a timer or a job, as long as the history is kept; your own, or for pgtq_admin everybody''s';
comment on column pgtq.attempts.id is 'id of the timer or job';
comment on column pgtq.attempts.attempt is 'which attempt it was, from 1 on';
comment on column pgtq.attempts.state is 'fired, failed, expired or retried (failed, and tried again)';
comment on column pgtq.attempts.fired_at is 'when it began';
comment on column pgtq.attempts.finished_at is 'when it ended';
comment on column pgtq.attempts.sqlstate is 'its SQLSTATE, if it failed';
comment on column pgtq.attempts.error is 'its error message, if it failed';

create view pgtq.upcoming with (security_barrier) as
    select t.id, t.queue, t.key, t.fire_at, t.fire_at - pg_catalog.clock_timestamp() as fires_in, t.scheduled_by, t.attempts,
           pg_catalog.left(t.action, 100) as action
      from pgtq.timers t
     where t.state = 'pending' and t.fire_at < 'infinity'
     order by t.fire_at;

comment on view pgtq.upcoming is 'Pending timers, the next one first; your own, or for pgtq_admin everybody''s';
comment on column pgtq.upcoming.id is 'id of the timer';
comment on column pgtq.upcoming.queue is 'its queue';
comment on column pgtq.upcoming.key is 'its key, if it has one';
comment on column pgtq.upcoming.fire_at is 'when it is due';
comment on column pgtq.upcoming.scheduled_by is 'the role that it runs as';
comment on column pgtq.upcoming.attempts is 'how many times it was tried before';
comment on column pgtq.upcoming.fires_in is 'how long until it is due; negative: it is late';
comment on column pgtq.upcoming.action is 'the beginning of its SQL; null for an event';

create view pgtq.queue_stats as
    select i.queue_name, i.ticker_lag, i.ev_new, i.ev_per_sec, i.last_tick_id, i.queue_ntables,
           (select pg_catalog.count(*) from pgtq.subscriber s where s.sub_queue = q.queue_id) as consumers,
           (select coalesce(pg_catalog.sum(pg_catalog.pg_total_relation_size(c.inhrelid)), 0)::bigint
              from pg_catalog.pg_inherits c where c.inhparent = pg_catalog.to_regclass(q.queue_data_pfx)) as bytes,
           i.queue_switch_time as last_rotation,
           i.queue_ticker_paused as paused
      from pgtq.get_queue_info() i
      join pgtq.queue q on q.queue_name = i.queue_name;

comment on view pgtq.queue_stats is 'The queues, one row each: lag, rate, size';
comment on column pgtq.queue_stats.queue_name is 'the queue';
comment on column pgtq.queue_stats.ticker_lag is 'age of the last tick';
comment on column pgtq.queue_stats.ev_new is 'event ids given out since the last tick';
comment on column pgtq.queue_stats.ev_per_sec is 'events per second over the last 20 ticks';
comment on column pgtq.queue_stats.last_tick_id is 'its newest tick';
comment on column pgtq.queue_stats.queue_ntables is 'tables of its ring; more than 3: something was in the way of rotation';
comment on column pgtq.queue_stats.consumers is 'how many consumers it has, the executor included';
comment on column pgtq.queue_stats.bytes is 'size of its event tables, indexes included';
comment on column pgtq.queue_stats.last_rotation is 'when it went on to the table that is written to now';
comment on column pgtq.queue_stats.paused is 'are its ticks paused';

create view pgtq.consumer_stats as
    select i.queue_name, i.consumer_name, i.lag, i.last_seen, i.pending_events, i.last_tick, i.current_batch, i.next_tick
      from pgtq.get_consumer_info() i;

comment on view pgtq.consumer_stats is 'The consumers, one row for each queue that one reads';
comment on column pgtq.consumer_stats.queue_name is 'the queue';
comment on column pgtq.consumer_stats.consumer_name is 'the consumer';
comment on column pgtq.consumer_stats.lag is 'age of the tick up to which it is done';
comment on column pgtq.consumer_stats.last_seen is 'time since it opened or closed a batch';
comment on column pgtq.consumer_stats.pending_events is 'about how many events are ticked and not yet read';
comment on column pgtq.consumer_stats.last_tick is 'the tick up to which it is done';
comment on column pgtq.consumer_stats.current_batch is 'the batch that it has open, if it has one';
comment on column pgtq.consumer_stats.next_tick is 'the tick at the end of that batch';

create view pgtq.lateness as
    with buckets as (
        select b.n, b.moves, pg_catalog.sum(b.moves) over (order by b.n) as so_far, pg_catalog.sum(b.moves) over () as total
          from pgtq._ticker_state() s, unnest(s.lateness) with ordinality b (moves, n))
    select b.n::integer as bucket,
           (2 ^ b.n / 1000)::numeric as below_ms,
           b.moves,
           pg_catalog.round(100.0 * b.so_far / nullif(b.total, 0), 2) as percentile
      from buckets b
     order by b.n;

comment on view pgtq.lateness is 'How late the ticker of this database moved what was due, since the server was started; p99: the lowest below_ms whose percentile is 99 or more';
comment on column pgtq.lateness.bucket is 'number of the bucket';
comment on column pgtq.lateness.below_ms is 'late by less than this, in milliseconds, and not by less than half of it; the last bucket has the rest';
comment on column pgtq.lateness.moves is 'how many moves';
comment on column pgtq.lateness.percentile is 'how many per cent of all moves are in this bucket or one before';
