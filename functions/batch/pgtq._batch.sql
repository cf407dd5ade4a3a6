create or replace function pgtq._batch(
    in i_batch_id bigint,
    out sub_id integer,
    out queue_id integer,
    out data_pfx text,
    out prev_snapshot pg_snapshot,
    out cur_snapshot pg_snapshot,
    out tx_from xid8,
    out tx_to xid8,
    out tx_list xid8[])
as $$
-- What has to be known of an open batch to read its events; an error if it is not open.
--
-- The events of a batch are those that the snapshot of its last tick sees and that of the
-- tick before it does not.  Written as such, every batch made while some transaction stays
-- open would read all events since that transaction began, as its id is the lower end.  So:
--
--   tx_from, tx_to   transactions that began between the two ticks: a range of ev_txid, to
--                    be filtered by both snapshots
--   tx_list          transactions that were running at the first tick and had ended by the
--                    second: exact values, null if there are none
--
-- Most transactions are short, so many of the second kind are just below tx_from; those
-- within 100 of it are taken into the range.
declare
    _p      pgtq.position;
    _last   xid8[];
begin
    -- no LIMIT outside: for one row of a table without statistics it would be a scan
    select p.* into _p
      from pgtq.position b
      join lateral (select * from pgtq.position
                     where pos_sub = b.pos_sub
                     order by pos_n desc
                     limit 1) p on p.pos_batch = b.pos_batch
     where b.pos_batch = i_batch_id;
    if found then
        select s.sub_id, s.sub_queue, q.queue_data_pfx into sub_id, queue_id, data_pfx
          from pgtq.subscriber s join pgtq.queue q on q.queue_id = s.sub_queue
         where s.sub_id = _p.pos_sub;
    end if;
    if found then
        select t.tick_snapshot into prev_snapshot
          from pgtq._ticks(queue_id, _p.pos_last_tick, false, 1) t where t.tick_id = _p.pos_last_tick;
        select t.tick_snapshot into cur_snapshot
          from pgtq._ticks(queue_id, _p.pos_next_tick, false, 1) t where t.tick_id = _p.pos_next_tick;
    end if;
    if prev_snapshot is null or cur_snapshot is null then
        raise exception 'batch not found'
            using errcode = 'undefined_object', detail = format('Batch: %s', coalesce(i_batch_id::text, 'NULL')),
                  hint = 'next_batch() tells the id of the open batch; after finish_batch() it is gone.';
    end if;

    tx_from := pg_snapshot_xmax(prev_snapshot);
    tx_to := pg_snapshot_xmax(cur_snapshot);
    select array_agg(x order by x desc) into _last
      from (select pg_snapshot_xip(prev_snapshot) except all select pg_snapshot_xip(cur_snapshot)) r (x);
    for _i in 1 .. coalesce(cardinality(_last), 0) loop
        if _last[_i]::text::bigint + 100 >= tx_from::text::bigint then
            tx_from := _last[_i];
        else
            tx_list := tx_list || _last[_i];
        end if;
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._batch(bigint) is 'Internal: how to find the events of a batch';
