-- structure/timers.sql: the views of timers for users.  A role sees its own; pgtq_admin all.

create view pgtq.timers with (security_barrier) as
    select t.id, q.queue_name as queue, coalesce(t.shard_key, 0) as shard_key, t.key, t.fire_at, t.action, t.status, t.state,
           t.created_at, t.fired_at, t.finished_at,
           coalesce(r.rolname, (select ro_name from pgtq.role where ro_oid = t.role limit 1)) as scheduled_by,
           coalesce(t.timeout_ms, 0) as timeout_ms, t.attempts, t.error, t.sqlstate,
           (select sc_name from pgtq.schedule where sc_id = t.schedule_id) as schedule
      from (select ev_timer as id, dl_queue as queue_id, ev_shard as shard_key, ev_key as key, dl_due as fire_at,
                   case when ev_attempts is not null then ev_data end as action,
                   0::smallint as status, 'pending' as state, ev_created as created_at,
                   null::timestamptz as fired_at, null::timestamptz as finished_at, ev_role as role, ev_timeout as timeout_ms,
                   coalesce(ev_retry, 0) as attempts, null::text as error, null::text as sqlstate, ev_schedule as schedule_id
              from pgtq.delay
             where ev_timer is not null
            union all
            select e.ev_timer, q.queue_id, e.ev_shard, e.ev_key, e.ev_time,
                   case when e.ev_attempts is not null then e.ev_data end,
                   case when e.ev_attempts is null then 1 else 0 end::smallint, case when e.ev_attempts is null then 'fired' else 'due' end,
                   e.ev_created, null, null, e.ev_role, e.ev_timeout, coalesce(e.ev_retry, 0), null, null, e.ev_schedule
              from pgtq.event_template e
              join pg_catalog.pg_inherits i on i.inhrelid = e.tableoid
              join pgtq.queue q on pg_catalog.to_regclass(q.queue_data_pfx) = i.inhparent
              left join pgtq.subscription s on s.sub_id = q.queue_executor and e.ev_attempts is not null
              left join pgtq.tick t on t.tick_queue = q.queue_id and t.tick_id = s.sub_last_tick
             where e.ev_timer is not null
               and not exists (select from pgtq.history h where h.hi_timer = e.ev_timer and h.hi_attempt > coalesce(e.ev_retry, 0))
               -- what the history does not tell: done is what the executor's position is past, or what has a mark
               and (t.tick_snapshot is null or not pg_catalog.pg_visible_in_snapshot(e.ev_txid, t.tick_snapshot))
               and not exists (select from pgtq.done d cross join lateral pg_catalog.unnest(d.dn_events) m(event)
                                where d.dn_sub = s.sub_id and m.event = e.ev_id and not d.dn_started)
               and not exists (select from pgtq.carried c where c.ca_sub = s.sub_id and c.ev_id = e.ev_id)
            union all
            select c.ev_timer, q.queue_id, c.ev_shard, c.ev_key, c.ev_time, c.ev_data, 0::smallint, 'due',
                   c.ev_created, null, null, c.ev_role, c.ev_timeout, coalesce(c.ev_retry, 0), null, null, c.ev_schedule
              from pgtq.carried c
              join pgtq.queue q on q.queue_executor = c.ca_sub
             where not exists (select from pgtq.done d cross join lateral pg_catalog.unnest(d.dn_events) m(event)
                                where d.dn_sub = c.ca_sub and m.event = c.ev_id and not d.dn_started)
            union all
            select hi_timer, hi_queue, hi_shard, hi_key, hi_due, hi_action,
                   hi_status, case hi_status when 1 then 'fired' when 2 then 'failed' when 3 then 'cancelled' when 4 then 'expired' end,
                   hi_created, hi_started, hi_finished, hi_role, hi_timeout, hi_attempt - (hi_status = 3)::integer, hi_error, hi_sqlstate, hi_schedule
              from pgtq.history
             where hi_status not in (5, 6) and hi_group is null) t
      left join pgtq.queue q on q.queue_id = t.queue_id
      left join pg_catalog.pg_roles r on r.oid = t.role
     where t.role = (select oid from pg_catalog.pg_roles where rolname = current_user)
        or pg_catalog.pg_has_role(current_user, 'pgtq_admin', 'usage');

comment on view pgtq.timers is 'All timers that are pending or in the history; your own, or for pgtq_admin everybody''s';
comment on column pgtq.timers.id is 'id of the timer';
comment on column pgtq.timers.queue is 'its queue';
comment on column pgtq.timers.fire_at is 'when it is, or was, due; infinity: it is the next run of a schedule that is paused';
comment on column pgtq.timers.shard_key is 'for distributing timers over servers';
comment on column pgtq.timers.key is 'its key: at most one timer of a key is pending in a queue';
comment on column pgtq.timers.action is 'the SQL that it runs; null for an event';
comment on column pgtq.timers.status is '0 pending or due, 1 fired, 2 failed, 3 cancelled, 4 expired';
comment on column pgtq.timers.state is 'pending, due (it has left the delay store), fired (an event: it has entered its queue), failed, cancelled or expired';
comment on column pgtq.timers.created_at is 'when it was scheduled';
comment on column pgtq.timers.fired_at is 'when its action began';
comment on column pgtq.timers.finished_at is 'when its action ended, or it was cancelled';
comment on column pgtq.timers.scheduled_by is 'the role that it runs as';
comment on column pgtq.timers.timeout_ms is 'how long its action may take; 0: pgtq.action_timeout';
comment on column pgtq.timers.attempts is 'how many times it was tried';
comment on column pgtq.timers.schedule is 'name of the schedule that it is a run of';
comment on column pgtq.timers.error is 'the error message of its last attempt, once it has failed for good; see attempts';
comment on column pgtq.timers.sqlstate is 'the SQLSTATE of that error';

create view pgtq.dead_letters with (security_barrier) as
    select h.hi_timer as id, q.queue_name as queue, h.hi_key as key, h.hi_due as fire_at, h.hi_action as action,
           h.hi_finished as failed_at, h.hi_attempt as attempts, h.hi_sqlstate as sqlstate, h.hi_error as error,
           coalesce(r.rolname, (select ro_name from pgtq.role where ro_oid = h.hi_role)) as scheduled_by
      from pgtq.history h
      left join pgtq.queue q on q.queue_id = h.hi_queue
      left join pg_catalog.pg_roles r on r.oid = h.hi_role
     where h.hi_status = 2 and h.hi_group is null
       and not exists (select from pgtq.history c where c.hi_timer = h.hi_timer and c.hi_status = 6)
       and (h.hi_role = (select oid from pg_catalog.pg_roles where rolname = current_user)
            or pg_catalog.pg_has_role(current_user, 'pgtq_admin', 'usage'));

comment on view pgtq.dead_letters is 'Timers that have failed for good, as long as the history is kept; see replay() and purge()';
comment on column pgtq.dead_letters.id is 'id of the timer';
comment on column pgtq.dead_letters.attempts is 'how many times it was tried';
comment on column pgtq.dead_letters.queue is 'its queue';
comment on column pgtq.dead_letters.key is 'its key, if it has one';
comment on column pgtq.dead_letters.fire_at is 'when it was due';
comment on column pgtq.dead_letters.action is 'the SQL that failed';
comment on column pgtq.dead_letters.failed_at is 'when it failed for good';
comment on column pgtq.dead_letters.sqlstate is 'SQLSTATE of its last error';
comment on column pgtq.dead_letters.error is 'message of its last error';
comment on column pgtq.dead_letters.scheduled_by is 'the role that it ran as';
