create or replace function pgtq._schedule_many(
    i_role oid, i_queue text, i_at timestamptz[], i_action text[], i_shard bigint[],
    i_timeout integer, i_attempts integer, i_backoff interval, i_expires_in interval,
    i_key text[], i_on_conflict text)
returns bigint[]
as $$
-- Schedules many timers for a role.  Returns their ids in order, null for each that was kept.
--
-- Without keys that is one statement.  With keys the rows of their hashes are locked first, in
-- the order of hashes, so that two such calls do not deadlock.
declare
    _q      pgtq.queue;
    _ids    bigint[] := array[]::bigint[];
begin
    if i_at is null or i_action is null then
        raise exception 'fire_at and action must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    if cardinality(i_at) <> cardinality(i_action)
        or cardinality(i_shard) <> cardinality(i_at) or cardinality(i_key) <> cardinality(i_at)
    then
        raise exception 'fire_at, action, shard_key and key must have the same number of elements'
            using errcode = 'array_subscript_error';
    end if;
    _q := pgtq._check_schedule(i_queue, true, i_timeout, i_attempts, i_backoff, i_expires_in, i_key is not null, i_on_conflict, null);
    if i_key is not null then
        perform from pgtq.key_lock
          where kl_hash in (select hashtext(_q.queue_id || ':' || k) & 1023 from unnest(i_key) k) order by kl_hash for update;
        for _n in 1 .. cardinality(i_at) loop
            _ids := _ids || pgtq._schedule(i_role, i_queue, i_at[_n], true, 'timer', i_action[_n], null, null, null, null,
                                           i_shard[_n], i_timeout, i_attempts, i_backoff, i_expires_in,
                                           i_key[_n], i_on_conflict, null);
        end loop;
        return _ids;
    end if;

    -- only what a loop in SQL sees to be wrong is looked at one by one
    perform pgtq._check_timer(t, true, a, false, null) from unnest(i_at, i_action) u (t, a)
      where t is null or not isfinite(t) or a is null
         or case when octet_length(a) > 1048576 then true else btrim(a, E' \t\r\n') = '' end;
    perform pgtq._note_role(i_role);
    execute format(
        'with new as (insert into %s (ev_timer, ev_role, ev_created, ev_attempts, ev_timeout, ev_backoff, ev_expires, ev_shard,'
        ' ev_type, ev_data, dl_queue, dl_due)'
        ' select nextval(''pgtq.timer_id_seq''), $1, $2, $3, $4, $5, at + $6, nullif(shard, 0), ''timer'', action, $7, at'
        ' from (select * from unnest($8, $9, $10) with ordinality u (at, action, shard, n) order by n) o returning ev_timer)'
        ' select coalesce(array_agg(ev_timer order by ev_timer), ''{}'') from new', pgtq._current_table('pgtq.delay'))
        into _ids
        using i_role, pgtq._now(), coalesce(i_attempts, 1), nullif(i_timeout, 0), nullif(i_backoff, '1 second'), i_expires_in,
              _q.queue_id, i_at, i_action, i_shard;
    perform pgtq._wake_at(min(at)) from unnest(i_at) at;
    return _ids;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._schedule_many(oid, text, timestamptz[], text[], bigint[], integer, integer, interval, interval, text[], text)
    is 'Internal: check and store many timers of a role';
