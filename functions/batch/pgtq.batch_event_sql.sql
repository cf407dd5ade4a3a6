create or replace function pgtq.batch_event_sql(x_batch_id bigint)
returns text
as $$
-- A SELECT that reads the events of a batch; see _batch() for the algorithm.  Another WHERE
-- can be put around it as a subquery.
declare
    _b      record;
begin
    select * into _b from pgtq._batch(x_batch_id);
    return pgtq._ring_sql(_b.data_pfx,
            'select ev_id, ev_time, ev_txid::text::bigint as ev_txid, ev_retry, ev_type, ev_data,'
            ' ev_extra1, ev_extra2, ev_extra3, ev_extra4 from %1$s'
            || format(' where ev_txid >= %L and ev_txid < %L'
                      ' and pg_catalog.pg_visible_in_snapshot(ev_txid, %L)'
                      ' and not pg_catalog.pg_visible_in_snapshot(ev_txid, %L)'
                      ' and (ev_owner is null or ev_owner = %s)',
                      _b.tx_from, _b.tx_to, _b.cur_snapshot, _b.prev_snapshot, _b.sub_id)
            || case when _b.tx_list is null then '' else
               ' union all select ev_id, ev_time, ev_txid::text::bigint, ev_retry, ev_type, ev_data,'
               ' ev_extra1, ev_extra2, ev_extra3, ev_extra4 from %1$s'
               || format(' where ev_txid = any (%L) and (ev_owner is null or ev_owner = %s)', _b.tx_list, _b.sub_id)
               end)
           || ' order by 1';
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.batch_event_sql(bigint) is 'A SELECT that reads the events of a batch';
