create or replace function pgtq._take_due(
    in i_role oid, in i_limit integer,
    out sub integer, out many_event bigint[], out many_tick bigint[], out many_timer bigint[], out many_data text[])
as $$
-- Actions of a role that are due, of one queue, for run_due(): they are the caller's until its
-- transaction ends.  Those that have expired are settled here.
--
-- Two calls for one role take turns by a lock on its row in pgtq.role: the second gets nothing.
-- The executor of the C build waits for whoever has the lock on pgtq.carried, and whoever comes
-- after it finds it running.
declare
    _q      record;
    _late   pgtq.event_template;
begin
    perform pgtq._require_read_committed('pgtq.run_due');
    lock table pgtq.carried in row exclusive mode;
    if pgtq._executor_runs() then
        raise exception 'the executor runs in this database'
            using errcode = 'object_in_use', hint = 'It runs what is due by itself.';
    end if;
    perform from pgtq.role where ro_oid = i_role for update skip locked;
    if not found then
        return;
    end if;
    for _q in
        select q.queue_id, q.queue_data_pfx, s.sub_id, s.sub_last_tick,
               (select t.tick_id from pgtq._ticks(q.queue_id, null, true, 1) t) as newest
          from pgtq.queue q join pgtq.subscription s on s.sub_id = q.queue_executor
         order by q.queue_id
    loop
        sub := _q.sub_id;
        for _late in
            select * from pgtq._undone(sub, _q.queue_id, _q.queue_data_pfx, _q.sub_last_tick, _q.newest, i_role, i_limit) u
             where u.ev_expires < pgtq._now()
        loop
            perform pgtq._end_due(i_role, sub, array[_late.ev_id], array[_q.newest], array[null::timestamptz], array['expired'], array[null::text]);
        end loop;
        select array_agg(e.ev_id), array_agg(e.tick), array_agg(e.ev_timer), array_agg(e.ev_data)
          into many_event, many_tick, many_timer, many_data
          from (select c.ev_id, c.ca_tick as tick, c.ev_timer, c.ev_data from pgtq.carried c
                 where c.ca_sub = sub and c.ev_role = i_role
                   and not exists (select from pgtq.done d where d.dn_sub = c.ca_sub and d.dn_tick = c.ca_tick and not d.dn_started
                                                           and c.ev_id = any (d.dn_events))
                union all
                select u.ev_id, _q.newest, u.ev_timer, u.ev_data
                  from pgtq._undone(sub, _q.queue_id, _q.queue_data_pfx, _q.sub_last_tick, _q.newest, i_role, i_limit) u) e;
        exit when many_event is not null;
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq._take_due(oid, integer) is 'Internal: actions of a role that are due';
