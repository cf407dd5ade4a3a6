-- get_batch_info(), finish_batch(), batch_event_sql(), batch_event_tables().
select plan(21);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');
select pgtq.insert_event('q', 't', n::text) from generate_series(1, 4) n;
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select queue_data_pfx as pfx from pgtq.queue \gset

-- get_batch_info
select results_eq(
    format('select queue_name, consumer_name, batch_start, batch_end, prev_tick_id, tick_id, seq_start, seq_end from pgtq.get_batch_info(%s)', :batch),
    $$select 'q', 'c', p.tick_time, c.tick_time, p.tick_id, c.tick_id, p.tick_event_seq, c.tick_event_seq
        from pgtq.tick p, pgtq.tick c where p.tick_id = 1 and c.tick_id = 2$$, 'get_batch_info');
select ok(lag > '0' and lag <= clock_timestamp() - batch_end, 'its lag is the age of the last tick') from pgtq.get_batch_info(:batch);
select results_eq($$select unnest(proargnames) collate "default", unnest(proallargtypes)::regtype::text from pg_proc where oid = 'pgtq.get_batch_info(bigint)'::regprocedure$$,
    $$values ('x_batch_id', 'bigint'), ('queue_name', 'text'), ('consumer_name', 'text'), ('batch_start', 'timestamp with time zone'),
             ('batch_end', 'timestamp with time zone'), ('prev_tick_id', 'bigint'), ('tick_id', 'bigint'), ('lag', 'interval'),
             ('seq_start', 'bigint'), ('seq_end', 'bigint')$$, 'its columns');
select results_eq(format('select * from pgtq.get_batch_info(%s)', b),
                  $$values (null::text, null::text, null::timestamptz, null::timestamptz, null::bigint, null::bigint, null::interval, null::bigint, null::bigint)$$,
                  'a row of nulls for batch ' || b) from unnest(array['999', 'null']) b;

-- batch_event_sql, batch_event_tables
select results_eq(pgtq.batch_event_sql(:batch), format('select * from pgtq.get_batch_events(%s)', :batch), 'batch_event_sql reads the events');
select results_eq(format('select ev_data from (%s) x where ev_id > 2', pgtq.batch_event_sql(:batch)), array['3', '4'], 'as a subquery');
select results_eq(format('select pgtq.batch_event_tables(%s)', :batch), array[:'pfx' || '_0', :'pfx' || '_1', :'pfx' || '_2'], 'batch_event_tables');
select throws_ok('select pgtq.batch_event_sql(999)', '42704', 'batch not found', 'batch_event_sql of no batch');
select throws_ok('select pgtq.batch_event_sql(null)', '42704', 'batch not found', 'batch_event_sql null');
select throws_ok('select pgtq.batch_event_tables(999)', '42704', 'batch not found', 'batch_event_tables of no batch');

-- finish_batch
select is(pgtq.finish_batch(x_batch_id => :batch), 1, 'finished');
select is(pgtq.finish_batch(:batch), 0, 'twice');
select is(pgtq.finish_batch(999), 0, 'unknown');
select is(pgtq.finish_batch(null), 0, 'null');
select is((select queue_name from pgtq.get_batch_info(:batch)), null, 'a finished batch has no info');
select is((select last_tick from pgtq.get_consumer_info('q', 'c')), 2::bigint, 'the consumer has gone on by one tick');
-- the warning is seen by another session
\set said `psql -X -q -At -h :'HOST' -p :'PORT' -U :'USER' -d :'DBNAME' -c 'select pgtq.finish_batch(999)' 2>&1`
select is(:'said'::text, E'WARNING:  finish_batch: batch 999 not found\n0', 'a warning and 0');

-- an earlier batch is not finished in place of the open one
select pgtq.insert_event('q', 't', '5');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch2 \gset
select is(pgtq.finish_batch(:batch), 0, 'an old batch while another is open');
select is(pgtq.next_batch('q', 'c'), :batch2::bigint, 'the open one stays open');
select is(pgtq.finish_batch(:batch2), 1, 'until it is finished');
select * from finish();
