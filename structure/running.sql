-- structure/running.sql: the view of what runs now: timers and jobs.

create view pgtq.running with (security_barrier) as
    select r.timer as id, q.queue_name as queue, u.rolname as scheduled_by, r.pid, r.since
      from pgtq._running() r
      left join pgtq.queue q on q.queue_id = r.queue_id
      left join pg_catalog.pg_roles u on u.oid = r.role;

comment on view pgtq.running is 'Jobs, and timers whose actions run now; your own, or for pgtq_admin everybody''s';
comment on column pgtq.running.id is 'id of the timer or job';
comment on column pgtq.running.queue is 'its queue; null: it is a job';
comment on column pgtq.running.scheduled_by is 'the role that it runs as';
comment on column pgtq.running.pid is 'process that runs it';
comment on column pgtq.running.since is 'since when';
