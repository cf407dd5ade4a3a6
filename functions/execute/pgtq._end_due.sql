create or replace function pgtq._end_due(
    i_role oid, i_sub integer, i_event bigint[], i_tick bigint[], i_started timestamptz[], i_sqlstate text[], i_error text[])
returns void
as $$
-- Notes what became of actions of a role, in the transaction that has run them: history, another
-- try for what may have one, and the marks that they are done.  An SQLSTATE of 'expired' is none:
-- the action was not run.
--
-- Writes: the history, the delay store, the done log, pgtq.carried, the position log.
declare
    _queue  integer;
    _prefix text;
    _row    pgtq.delay;
begin
    if pgtq._executor_runs() then
        raise exception 'the executor runs in this database' using errcode = 'object_in_use';
    end if;
    select q.queue_id, q.queue_data_pfx into strict _queue, _prefix from pgtq.queue q where q.queue_executor = i_sub;
    for _n in 1 .. coalesce(cardinality(i_event), 0) loop
        execute 'select e.*, $4, e.ev_time from (' || pgtq._ring_sql(_prefix, 'select * from %s where ev_id = $1 and ev_role = $2')
                || ' union all select ' || (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
                                             where attrelid = 'pgtq.event_template'::regclass and attnum > 0 and not attisdropped)
                || ' from pgtq.carried where ca_sub = $3 and ev_id = $1 and ev_role = $2) e where ev_attempts is not null limit 1'
            into _row using i_event[_n], i_role, i_sub, _queue;
        continue when _row.ev_timer is null;
        if i_sqlstate[_n] = 'expired' then
            perform pgtq._add_history(_row, 4, null, null, null);
        elsif i_sqlstate[_n] is null then
            perform pgtq._add_history(_row, 1, i_started[_n], null, null);
        elsif coalesce(_row.ev_retry, 0) + 1 >= _row.ev_attempts then
            perform pgtq._add_history(_row, 2, i_started[_n], i_sqlstate[_n], i_error[_n]);
        else
            perform pgtq._add_history(_row, 5, i_started[_n], i_sqlstate[_n], i_error[_n]);
            _row.ev_retry := coalesce(_row.ev_retry, 0) + 1;
            _row.dl_due := pgtq._now() + least(interval '1 hour',
                coalesce(_row.ev_backoff, '1 second') * power(2, least(_row.ev_retry - 1, 20)) * (0.75 + random() / 2));
            _row.ev_id := null;
            _row.ev_time := null;
            perform pgtq._store(_row);
        end if;
        execute format('insert into %s values ($1, $2, false, array[$3])', pgtq._current_table('pgtq.done'))
            using i_sub, i_tick[_n], i_event[_n];
        delete from pgtq.carried where ca_sub = i_sub and ev_id = i_event[_n];
    end loop;
    perform pgtq._advance_executor(i_sub);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq._end_due(oid, integer, bigint[], bigint[], timestamptz[], text[], text[]) is 'Internal: note what became of actions';
