-- Queues with an external ticker, and paused ones.
select plan(24);
\ir ../common.psql
select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c');
select queue_tick_seq as ticks, queue_event_seq as events from pgtq.queue \gset

select throws_ok($$select pgtq.ticker('q', 10, now(), 100)$$, '55000', 'queue not found or ticker disabled: q', 'its ticker is not external');
select throws_ok($$select pgtq.ticker('none', 10, now(), 100)$$, '55000', 'queue not found or ticker disabled: none', 'unknown queue');
select pgtq.set_queue_config('q', 'external_ticker', 'true');
select throws_ok($$select pgtq.ticker('q')$$, '55000', 'This queue has external tick source.', 'the internal ticker is refused');

select throws_ok($$select pgtq.ticker('q', null, now(), 100)$$, '22004', null, 'null id');
select throws_ok($$select pgtq.ticker('q', 10, null, 100)$$, '22004', null, 'null time');
select throws_ok($$select pgtq.ticker('q', 10, now(), null)$$, '22004', null, 'null event sequence');

select pgtq.insert_event_raw('q', 90, '2001-01-01 00:00:00+00', null, null, 't', 'from afar', null, null, null, null);
select is(pgtq.ticker('q', 10, '2001-01-01 00:01:00+00', 100), 10::bigint, 'an external tick');
select results_eq('select tick_time, tick_event_seq from pgtq.tick where tick_id = 10',
                  $$values (timestamptz '2001-01-01 00:01:00+00', 100::bigint)$$, 'is written as given');
select is(pgtq.seq_getval(:'ticks'), 10::bigint, 'the tick sequence follows');
select is(pgtq.seq_getval(:'events'), 100::bigint, 'the event sequence follows');
select is(drain('q', 'c'), array['from afar'], 'its batch is read');

-- the order
select throws_ok($$select pgtq.ticker('q', 9, now(), 101)$$, '22023', 'tick 9 is not after the newest tick 10', 'an earlier tick is refused');
select throws_ok($$select pgtq.ticker('q', 10, now(), 101)$$, '22023', 'tick 10 is not after the newest tick 10', 'the same tick is refused');
select throws_ok($$select pgtq.ticker('q', 0, now(), 101)$$, '22023', null, 'tick 0 is refused');
select is((select max(tick_id) from pgtq.tick), 10::bigint, 'nothing was written');
select is(pgtq.ticker('q', 11, now(), 50), 11::bigint, 'the next tick');
select is(pgtq.seq_getval(:'events'), 100::bigint, 'the event sequence never goes back');
select is(pgtq.ticker('q', 5000000000, now(), 6000000000), 5000000000, 'ticks may jump');
select throws_ok($$select pgtq.ticker('q', 12, now(), 7000000000)$$, '22023', null, 'but not back');

-- paused
select pgtq.set_queue_config('q', 'ticker_paused', 'true');
select throws_ok($$select pgtq.ticker('q', 5000000001, now(), 6000000001)$$, '55000', 'queue not found or ticker disabled: q', 'external and paused');
select pgtq.set_queue_config('q', 'external_ticker', 'false');
select throws_ok($$select pgtq.ticker('q')$$, '55000', 'Ticker has been paused for this queue', 'paused');
select pgtq.set_queue_config('q', 'ticker_paused', 'false');
select always_tick('q');
select is(pgtq.ticker('q'), 5000000001, 'the internal ticker goes on after them');
select is(cardinality(drain('q', 'c')), 0, 'there are no events in these');
select is((select last_tick from pgtq.get_consumer_info('q', 'c')), 5000000001, 'the consumer has read them all');
select * from finish();
