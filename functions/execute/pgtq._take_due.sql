create or replace function pgtq._take_due(
    in i_role oid, in i_limit integer,
    out sub integer, out many_event bigint[], out many_timer bigint[], out many_data text[], out many_timeout integer[])
as $$
-- Actions of a role that are due, of one queue, for run_due(): they are the caller's until its
-- transaction ends.  Those that have expired are settled here.
--
-- Two calls for one role take turns by a lock, which is not taken while there is nothing to do: it would
-- cost a transaction id.  The second gets nothing.
-- The executor of the C build waits for whoever has the lock on pgtq.carried, and whoever comes
-- after it finds it running.
--
-- The done log is locked before the position is read: if that moved on in between, and the log was turned, the marks of
-- what is after the position that was read would be gone.
declare
    _q      record;
    _late   bigint[];
begin
    perform pgtq._require_read_committed('pgtq.run_due');
    lock table pgtq.carried in row exclusive mode;
    lock table pgtq.done in access share mode;
    if pgtq._executor_runs() then
        raise exception 'the executor runs in this database'
            using errcode = 'object_in_use', hint = 'It runs what is due by itself.';
    end if;
    for _q in
        select q.queue_id, q.queue_data_pfx, s.sub_id, s.sub_last_tick,
               (select t.tick_id from pgtq._ticks(q.queue_id, null, true, 1) t) as newest
          from pgtq.queue q join pgtq.subscription s on s.sub_id = q.queue_executor
         order by q.queue_id
    loop
        continue when not exists (select from pgtq._due_actions(_q.sub_id, _q.queue_id, _q.queue_data_pfx, _q.sub_last_tick, _q.newest, i_role, 1));
        exit when not pgtq._lock_role(i_role);
        sub := _q.sub_id;
        select array_agg(e.ev_id) filter (where e.ev_expires < pgtq._now()),
               array_agg(e.ev_id) filter (where not coalesce(e.ev_expires < pgtq._now(), false)),
               array_agg(e.ev_timer) filter (where not coalesce(e.ev_expires < pgtq._now(), false)),
               array_agg(e.ev_data) filter (where not coalesce(e.ev_expires < pgtq._now(), false)),
               array_agg(e.ev_timeout) filter (where not coalesce(e.ev_expires < pgtq._now(), false))
          into _late, many_event, many_timer, many_data, many_timeout
          from pgtq._due_actions(sub, _q.queue_id, _q.queue_data_pfx, _q.sub_last_tick, _q.newest, i_role, i_limit) e;
        if _late is not null then
            perform pgtq._end_due(i_role, sub, _late, null, array_fill('expired'::text, array[cardinality(_late)]), null);
            many_event := coalesce(many_event, '{}');       -- none, but there may be more
        end if;
        exit when many_event is not null;
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._take_due(oid, integer) is 'Internal: actions of a role that are due';
