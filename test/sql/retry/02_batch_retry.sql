-- batch_retry(), event_retry_raw(), maint_retry_events().
select plan(23);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c'), pgtq.register_consumer('q', 'd');
select pgtq.insert_event('q', 't', n::text) from generate_series(1, 5) n;
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset

-- batch_retry
select throws_ok('select pgtq.batch_retry(999, 0)', '42704', 'batch not found', 'unknown batch');
select throws_ok('select pgtq.batch_retry(null, 0)', '42704', 'batch not found', 'null batch');
select is(pgtq.event_retry(:batch, 2, 0), 1, 'one by itself');
select is(pgtq.batch_retry(i_batch_id => :batch, i_retry_seconds => 0), 4, 'the others are added');
select is(pgtq.batch_retry(:batch, 0), 0, 'no more');
select is(pgtq.event_retry(:batch, 1, 0), 0, 'nor one by itself');
select is((select array_agg(ev_id || ':' || ev_retry order by ev_id) from pgtq.retry_queue), array['1:1', '2:1', '3:1', '4:1', '5:1'], 'all wait');
select pgtq.finish_batch(:batch);
select pgtq.ticker('q');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['1', '2', '3', '4', '5'], 'all come again, in the order of ids');
select is(drain('q', 'd'), array['1', '2', '3', '4', '5'], 'the other consumer gets each once');
select pgtq.ticker('q');
select is(drain('q', 'c') || drain('q', 'd'), '{}', 'no more');

-- an empty batch
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select is(pgtq.batch_retry(:batch, 0), 0, 'an empty batch');
select pgtq.finish_batch(:batch);

-- a big one
select count(pgtq.insert_event('q', 't', 'big')) from generate_series(1, 2000) n;
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select is(pgtq.batch_retry(:batch, 0), 2000, '2000 events');
select pgtq.finish_batch(:batch);
select is(pgtq.maint_retry_events(), 2000, 'put back at once');
select pgtq.ticker('q');
select is(cardinality(drain('q', 'c')), 2000, 'they come');

-- event_retry_raw
select throws_ok($$select pgtq.event_retry_raw('q', 'x', now(), 1, now(), 1, 't', 'd', null, null, null, null)$$, '42704', 'consumer not registered', 'unknown consumer');
select throws_ok($$select pgtq.event_retry_raw('x', 'c', now(), 1, now(), 1, 't', 'd', null, null, null, null)$$, '42704', 'consumer not registered', 'unknown queue');
select throws_ok($$select pgtq.event_retry_raw(null, null, now(), 1, now(), 1, 't', 'd', null, null, null, null)$$, '42704', 'consumer not registered', 'nulls');
select is((error_of($$select pgtq.event_retry_raw('q', 'x', now(), 1, now(), 1, 't', 'd', null, null, null, null)$$))[3], 'Queue: q, consumer: x', 'the detail');
select is(pgtq.event_retry_raw('q', 'c', now(), 777777, '2001-01-01 00:00+00', 8, 'type', 'data', '1', '2', '3', '4'), 777777::bigint, 'the given id');
select pgtq.seq_getval(queue_event_seq) as seq from pgtq.queue \gset
select is(pgtq.event_retry_raw(x_queue => 'q', x_consumer => 'c', x_retry_after => now(), x_ev_id => null, x_ev_time => now(), x_ev_retry => null,
                               x_ev_type => 't', x_ev_data => 'no id', x_ev_extra1 => null, x_ev_extra2 => null, x_ev_extra3 => null, x_ev_extra4 => null),
          :seq::bigint + 1, 'null id: the next of the queue');
select pgtq.ticker('q');
select pgtq.ticker('q');
select pgtq.finish_batch(pgtq.next_batch('q', 'c'));
select pgtq.next_batch('q', 'c') as batch \gset
select results_eq(format('select ev_id, ev_time, ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4 from pgtq.get_batch_events(%s) where ev_id = 777777', :batch),
                  $$values (777777::bigint, timestamptz '2001-01-01 00:00+00', 8, 'type', 'data', '1', '2', '3', '4')$$, 'as it was given');
select is((select count(*) from pgtq.get_batch_events(:batch)), 2::bigint, 'both come');
select pgtq.finish_batch(:batch);
select is(cardinality(drain('q', 'd')), 2000, 'and not to the other consumer');
select * from finish();
