create or replace function pgtq._due_actions(
    i_sub integer, i_queue_id integer, i_prefix text, i_from bigint, i_to bigint, i_role oid, i_limit integer)
returns setof pgtq.event_template
as $$
-- Actions of a role that are due: those that are carried, else those that came after tick i_from and by
-- tick i_to.  A backlog is looked at from its beginning, because each look reads all between two ticks.
--
-- What has become due since the caller's transaction began is for the next one, or now() would be before its time in the action.
declare
    _to     bigint;
    _by     constant timestamptz := pgtq._now() - greatest(clock_timestamp() - now(), '0');
begin
    return query
        select c.ev_id, c.ev_time, c.ev_txid, c.ev_owner, c.ev_retry, c.ev_type, c.ev_data, c.ev_extra1, c.ev_extra2, c.ev_extra3, c.ev_extra4,
               c.ev_timer, c.ev_role, c.ev_created, c.ev_attempts, c.ev_timeout, c.ev_backoff, c.ev_expires, c.ev_shard, c.ev_key, c.ev_schedule, c.ev_run
          from pgtq.carried c
         where c.ca_sub = i_sub and c.ev_role = i_role
           and not exists (select from pgtq.done d where d.dn_sub = c.ca_sub and d.dn_tick = c.ca_tick and not d.dn_started
                                                     and c.ev_id = any (d.dn_events))
         order by c.ev_time, c.ev_id limit i_limit;
    if found or i_from >= i_to then
        return;
    end if;
    for _to in
        select tick_id from pgtq._ticks(i_queue_id, i_from + 1, false, 1)
        union all
        select i_to
    loop
        return query select * from pgtq._undone(i_sub, i_queue_id, i_prefix, i_from, _to, i_role, i_limit) u
                      where u.ev_time <= _by;       -- an executor may have had it fetched ahead of its time, too
        exit when found or _to = i_to;
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._due_actions(integer, integer, text, bigint, bigint, oid, integer) is 'Internal: actions of a role that are due in a queue';
