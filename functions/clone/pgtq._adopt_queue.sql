create or replace function pgtq._adopt_queue(i_queue pgtq.queue)
returns void
as $$
-- Makes a queue of a copied database this one's own, see adopt().
--
-- An event that no consumer has read enters again as it is; one that some have read enters
-- once for each of the others, like a retry.  Open batches are dropped: their events were not
-- finished.  The executor is ahead of its position: what the done log says it has run, and what
-- it carries, does not enter again for it.
declare
    -- of event e, for subscription sub that stands at a tick with snapshot seen
    _unread constant text := '(e.ev_owner is null or e.ev_owner = sub) and not pg_visible_in_snapshot(e.ev_txid, seen)'
                             ' and not coalesce(sub = $3 and e.ev_id = any ($4), false)';
    _done   bigint[];
    _subs   integer[];
    _seen   pg_snapshot[];
    _table  text;
    _tick   bigint;
begin
    -- a dump makes indexes last: are they there?
    if exists (select from generate_series(0, i_queue.queue_ntables - 1) n
                where to_regclass(format('pgtq.event_%s_%s_txid_idx', i_queue.queue_id, n)) is null
                   or to_regclass(format('pgtq.tick_%s_%s_pkey', i_queue.queue_id, n)) is null)
    then
        raise exception 'queue "%" is still being restored', i_queue.queue_name
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    perform pgtq._lock_ticker(i_queue.queue_data_pfx);
    perform from pgtq.subscriber where sub_queue = i_queue.queue_id for update;
    select array_agg(s.sub_id), array_agg(t.tick_snapshot) into _subs, _seen
      from pgtq.subscription s, lateral pgtq._ticks(i_queue.queue_id, s.sub_last_tick, false, 1) t
     where s.sub_queue = i_queue.queue_id;

    _done := array(select unnest(dn_events) from pgtq.done where dn_sub = i_queue.queue_executor and not dn_started
                   union all
                   select ev_id from pgtq.carried where ca_sub = i_queue.queue_executor);

    create temporary table adopted_event on commit drop as select * from pgtq.event_template with no data;
    execute 'insert into pg_temp.adopted_event select e.* from ('
            || pgtq._ring_sql(i_queue.queue_data_pfx, 'select * from %s')
            || ') e where exists (select from unnest($1, $2) s (sub, seen) where ' || _unread || ')'
        using _subs, _seen, i_queue.queue_executor, _done;
    for _n in 0 .. i_queue.queue_ntables - 1 loop
        execute format('truncate %s, pgtq.tick_%s_%s', pgtq.quote_fqname(i_queue.queue_data_pfx || '_' || _n), i_queue.queue_id, _n);
    end loop;

    _table := pgtq._current_table(i_queue.queue_data_pfx);
    execute format(
        'insert into %1$s select e.ev_id, e.ev_time, pg_current_xact_id(), coalesce(e.ev_owner, s.sub), e.ev_retry, e.ev_type, e.ev_data,'
        ' e.ev_extra1, e.ev_extra2, e.ev_extra3, e.ev_extra4, e.ev_timer,'
        ' e.ev_role, e.ev_created, e.ev_attempts, e.ev_timeout, e.ev_backoff, e.ev_expires, e.ev_shard, e.ev_key, e.ev_schedule, e.ev_run'
        ' from pg_temp.adopted_event e, lateral (select count(*) from unnest($1, $2) u (sub, seen) where %2$s) n (unread), lateral ('
        '   select sub from unnest($1, $2) u (sub, seen) where %2$s and unread < cardinality($1)'
        '   union all'
        '   select null where unread = cardinality($1)) s'
        ' order by e.ev_id', _table, _unread)
        using _subs, _seen, i_queue.queue_executor, _done;
    drop table pg_temp.adopted_event;

    _tick := case when i_queue.queue_external_ticker
                  then pg_sequence_last_value(pgtq.quote_fqname(i_queue.queue_tick_seq)::regclass)
                  else nextval(pgtq.quote_fqname(i_queue.queue_tick_seq)::regclass) end;
    perform pgtq._append_tick(i_queue.queue_id, i_queue.queue_data_pfx, _tick, clock_timestamp(), pgtq._event_seq(i_queue.queue_event_seq));
    perform pgtq._append_position(s.sub_id, (select max(pos_n) + 1 from pgtq.position where pos_sub = s.sub_id), _tick, null, null)
       from pgtq.subscriber s where s.sub_queue = i_queue.queue_id;
    update pgtq.queue set queue_home = pgtq._home(), queue_first_tick = _tick where queue_id = i_queue.queue_id;
    perform pgtq._adopt_delayed(i_queue.queue_id);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._adopt_queue(pgtq.queue) is 'Internal: make a queue of a copied database this one''s own';
