-- force_tick(): the next run of the ticker ticks.
begin;
select plan(16);
select pgtq.create_queue('q');
select pgtq.ticker('q');
select pgtq.set_queue_config('q', p, '1 hour') from unnest(array['ticker_max_lag', 'ticker_idle_period']) p;
select queue_event_seq as seq from pgtq.queue \gset
select pgtq.insert_event('q', 't', 'd') from generate_series(1, 10);
select is(pgtq.ticker('q'), null, 'the ticker would not');
select is(pgtq.force_tick('q'), 2::bigint, 'the last tick id is returned');
select ok(pgtq.seq_getval(:'seq') - 10 between 2 * 500 + 1000 and 2 * 500 + 1001, 'the event sequence goes up by 2 * max_count + 1000');
select is((select max(tick_id) from pgtq.tick), 2::bigint, 'it does not tick by itself');
select is(pgtq.ticker('q'), 3::bigint, 'but now the ticker does');
select is(pgtq.ticker('q'), null, 'once');
select is(pgtq.force_tick('q'), 3::bigint, 'the tick id has gone on');
select is(pgtq.ticker('q'), 4::bigint, 'and again');

select pgtq.set_queue_config('q', 'ticker_max_count', '7');
select pgtq.seq_getval(:'seq') as old \gset
select pgtq.force_tick('q');
select ok(pgtq.seq_getval(:'seq') - :old between 1014 and 1015, 'with another max_count');
select pgtq.ticker('q');

select is(pgtq.force_tick('none'), null, 'unknown queue');
select is(pgtq.force_tick(null), null, 'null');
select pgtq.seq_getval(:'seq') as old \gset
select pgtq.set_queue_config('q', 'ticker_paused', 'true');
select is(pgtq.force_tick('q'), 5::bigint, 'paused: the last tick id');
select is(pgtq.seq_getval(:'seq'), :old::bigint, 'paused: nothing is forced');
select pgtq.set_queue_config('q', 'ticker_paused', 'false');
select pgtq.set_queue_config('q', 'external_ticker', 'true');
select is(pgtq.force_tick('q'), 5::bigint, 'external: the last tick id');
select is(pgtq.seq_getval(:'seq'), :old::bigint, 'external: nothing is forced');

-- on a queue that never had an event
select pgtq.create_queue('fresh');
select pgtq.ticker('fresh');
select pgtq.set_queue_config('fresh', p, '1 hour') from unnest(array['ticker_max_lag', 'ticker_idle_period']) p;
select pgtq.force_tick('fresh');
select is(pgtq.ticker('fresh'), 3::bigint, 'a queue without events');

select * from finish();
rollback;
