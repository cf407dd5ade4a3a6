create or replace function pgtq._end_due(
    i_role oid, i_sub integer, i_event bigint[], i_started timestamptz[], i_sqlstate text[], i_error text[])
returns void
as $$
-- Notes what became of actions of a role, in the transaction that has run them: history, another
-- try for what may have one, the next run of a schedule, and the marks that they are done.  An SQLSTATE of 'expired' is none:
-- the action was not run.
--
-- What a caller says of another role's events, or of what is no action, is passed over.  A caller that
-- invents an end for its own timers hurts nobody else.
--
-- Writes: the history, the delay store, the done log, pgtq.carried, the position log.
declare
    _q      pgtq.queue;
    _row    pgtq.delay;
    _tick   bigint;
    _done   bigint[] := array[]::bigint[];
    _n      integer;
    _status integer;
begin
    if pgtq._executor_runs() then
        raise exception 'the executor runs in this database' using errcode = 'object_in_use';
    end if;
    select * into strict _q from pgtq.queue q where q.queue_executor = i_sub;
    for _row in execute
        'select distinct on (ev_id) e.*, $4, e.ev_time from (' || pgtq._ring_sql(_q.queue_data_pfx, 'select * from %s where ev_id = any ($1) and ev_role is not distinct from $2')
        || ' union all select ' || (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
                                 where attrelid = 'pgtq.event_template'::regclass and attnum > 0 and not attisdropped)
        || ' from pgtq.carried where ca_sub = $3 and ev_id = any ($1) and ev_role is not distinct from $2) e where ev_attempts is not null and ev_timer is not null'
        using i_event, i_role, i_sub, _q.queue_id
    loop
        _n := array_position(i_event, _row.ev_id);
        _done := _done || _row.ev_id;
        _status := case when i_sqlstate[_n] = 'expired' then 4
                        when i_sqlstate[_n] is null then 1
                        when coalesce(_row.ev_retry, 0) + 1 >= _row.ev_attempts then 2
                        else 5 end;
        if _status = 4 then
            perform pgtq._add_history(_row, 4, null, null, null);
        else
            perform pgtq._add_history(_row, _status, i_started[_n], i_sqlstate[_n], i_error[_n]);
        end if;
        if _status <> 5 and (_row.ev_run).next is not null then
            perform pgtq._end_run(_row.ev_schedule, _row.ev_run);
        elsif _status = 5 then
            _row.ev_retry := coalesce(_row.ev_retry, 0) + 1;
            _row.dl_due := pgtq._now() + least(interval '1 hour',
                coalesce(_row.ev_backoff, '1 second') * power(2, least(_row.ev_retry - 1, 20)) * (0.75 + random() / 2));
            _row.ev_id := null;
            _row.ev_time := null;
            perform pgtq._store(_row);
        end if;
    end loop;

    -- a mark stands with a tick that came with or after the event, or with that of what was carried
    select t.tick_id into _tick from pgtq._ticks(_q.queue_id, null, true, 1) t;
    execute format('with gone as (delete from pgtq.carried where ca_sub = $1 and ev_id = any ($3) returning ca_tick, ev_id)'
                   ' insert into %s select $1, ca_tick, false, array_agg(ev_id) from gone group by ca_tick'
                   ' union all select $1, $2, false, array_agg(e) from unnest($3) e where e not in (select ev_id from gone) having count(*) > 0',
                   pgtq._current_table('pgtq.done'))
        using i_sub, _tick, _done;
    perform pgtq._advance_executor(i_sub);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._end_due(oid, integer, bigint[], timestamptz[], text[], text[]) is 'Internal: note what became of actions';
