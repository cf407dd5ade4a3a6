-- get_batch_events(): columns, types, order; unknown batches.
select plan(24);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');

select throws_ok($$select * from pgtq.get_batch_events(999)$$, '42704', 'batch not found', 'unknown');
select throws_ok($$select * from pgtq.get_batch_events(null)$$, '42704', 'batch not found', 'null');
select throws_ok($$select * from pgtq.get_batch_events(-1)$$, '42704', 'batch not found', 'negative');
select is((error_of($$select * from pgtq.get_batch_events(999)$$))[3], 'Batch: 999', 'the detail');

begin;
select pgtq.insert_event('q', 'type', 'data', 'e1', 'e2', 'e3', 'e4');
select pgtq.insert_event('q', null, null);
create temp table tx as select pg_current_xact_id()::text::bigint as id, now() as time;
commit;
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select results_eq(format('select ev_id, ev_time, ev_txid, ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4 from pgtq.get_batch_events(%s)', :batch),
    $$select 1::bigint, time, id, null::integer, 'type', 'data', 'e1', 'e2', 'e3', 'e4' from tx
      union all select 2, time, id, null, null, null, null, null, null, null from tx$$, 'all columns');
select results_eq(format('select * from pgtq.get_batch_events(%s)', :batch),
                  format('select * from pgtq.get_batch_events(x_batch_id => %s)', :batch), 'name of the parameter');
select results_eq($$select unnest(proargnames) collate "default", unnest(proallargtypes)::regtype::text, unnest(proargmodes) from pg_proc
                     where oid = 'pgtq.get_batch_events(bigint)'::regprocedure$$,
    $$values ('x_batch_id', 'bigint', 'i'::"char"), ('ev_id', 'bigint', 'o'), ('ev_time', 'timestamp with time zone', 'o'),
             ('ev_txid', 'bigint', 'o'), ('ev_retry', 'integer', 'o'), ('ev_type', 'text', 'o'), ('ev_data', 'text', 'o'),
             ('ev_extra1', 'text', 'o'), ('ev_extra2', 'text', 'o'), ('ev_extra3', 'text', 'o'), ('ev_extra4', 'text', 'o')$$,
    'names and types');
select is((select count(*) from pgtq.get_batch_events(:batch)), 2::bigint, 'counted');
select is((select array_agg(ev_id) from (select ev_id from pgtq.get_batch_events(:batch) limit 1) x), array[1::bigint], 'limited');
select is((select count(*) from pgtq.get_batch_events(:batch) a join pgtq.get_batch_events(:batch) b using (ev_id)), 2::bigint, 'joined with itself');
select is(array(select (pgtq.get_batch_events(b)).ev_id from (values (:batch::bigint)) v (b)), array[1, 2]::bigint[], 'in a select list');
select is(datas(:batch), array['data', null], 'read again and again');
select pgtq.finish_batch(:batch);
select throws_ok(format('select * from pgtq.get_batch_events(%s)', :batch), '42704', 'batch not found', 'finished');

-- the order is that of ids, not that of transactions
select pgtq.insert_event_raw('q', id, null, null, null, 't', id::text, null, null, null, null) from unnest(array[30, 10]) id;
select pgtq.insert_event_raw('q', 20, null, null, null, 't', '20', null, null, null, null);
select pgtq.insert_event_raw('q', 5, null, null, null, 't', '5', null, null, null, null);
select pgtq.ticker('q');
select is(drain('q', 'c'), array['5', '10', '20', '30'], 'ordered by id');

-- an event of a transaction that ends after a tick comes with the tick that sees it, once
\set gid :DBNAME '_events'
begin;
select pgtq.insert_event('q', 't', 'slow');
prepare transaction :'gid';
select pgtq.insert_event('q', 't', 'fast');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['fast'], 'a transaction still runs: its event is not in the batch');
-- thousands of transactions later, so that no others can be stepping stones, see _batch()
do $$ begin for _i in 1 .. 3000 loop perform pg_current_xact_id(); commit; end loop; end $$;
select pgtq.ticker('q');
select is(drain('q', 'c'), '{}', 'nor in the next one');
select pgtq.insert_event('q', 't', 'faster');
commit prepared :'gid';
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select is(datas(:batch), array['slow', 'faster'], 'it has ended: now it is, in the order of ids');
select is(array(select ev_data from pgtq.get_batch_cursor(:batch, 'cur', 10)), array['slow', 'faster'], 'through a cursor, too');
select matches(pgtq.batch_event_sql(:batch), 'any', 'it was looked up on its own');
select is(pgtq.event_retry(:batch, (select ev_id from pgtq.get_batch_events(:batch) where ev_data = 'slow'), 3600), 1, 'and can be retried');
select pgtq.finish_batch(:batch);
select pgtq.ticker('q');
select is(drain('q', 'c'), '{}', 'and not again');

-- one that ends soon after
begin;
select pgtq.insert_event('q', 't', 'slow 2');
prepare transaction :'gid';
select pgtq.ticker('q');
select is(drain('q', 'c'), '{}', 'still running');
commit prepared :'gid';
select pgtq.ticker('q');
select is(drain('q', 'c'), array['slow 2'], 'ended');

-- one that is rolled back
begin;
select pgtq.insert_event('q', 't', 'never');
prepare transaction :'gid';
select pgtq.ticker('q');
rollback prepared :'gid';
select pgtq.ticker('q');
select is(drain('q', 'c'), '{}', 'an event that is rolled back is never delivered');
select * from finish();
