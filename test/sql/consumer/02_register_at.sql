-- register_consumer_at(): registering at a tick, and moving there.
select plan(31);
\ir ../common.psql
select throws_ok($$select pgtq.register_consumer_at('q', 'c', 1)$$, '42704', 'Event queue not created yet: q', 'unknown queue');
select pgtq.create_queue('q'), always_tick('q');
select pgtq.insert_event('q', 't', '1');
select pgtq.ticker('q');
select pgtq.insert_event('q', 't', '2');
select pgtq.ticker('q');
select pgtq.insert_event('q', 't', '3');
select pgtq.ticker('q');

select throws_ok($$select pgtq.register_consumer_at('q', 'c', 5)$$, '42704', 'cannot reposition, tick not found: 5', 'a tick that is not yet');
select throws_ok($$select pgtq.register_consumer_at('q', 'c', 0)$$, '42704', 'cannot reposition, tick not found: 0', 'a tick that never was');
select throws_ok($$select pgtq.register_consumer_at('q', null, 1)$$, '22004', 'Consumer name must not be NULL', 'null consumer');
select is((select count(*) from pgtq.consumer), 0::bigint, 'refused: no consumer');

select is(pgtq.register_consumer_at('q', 'first', 1), 1, 'new, at the first tick');
select is(drain('q', 'first'), array['1', '2', '3'], 'sees all');
select is(pgtq.register_consumer_at('q', 'mid', 2), 1, 'new, at a tick in the middle');
select is(drain('q', 'mid'), array['2', '3'], 'sees the rest');
select is(pgtq.register_consumer_at('q', 'last', 4), 1, 'new, at the last tick');
select is(drain('q', 'last'), '{}', 'sees nothing yet');
select is(pgtq.register_consumer_at('q', 'null', null), 1, 'new, null is the newest tick');
select is((select last_tick from pgtq.get_consumer_info('q', 'null')), 4::bigint, 'it is there');
select is(pgtq.register_consumer_at(x_queue_name => 'q', x_consumer_name => 'named', x_tick_pos => 3), 1, 'named parameters');

-- moving back: events come again
select is(pgtq.register_consumer_at('q', 'first', 2), 0, 'an existing one is moved back');
select is(drain('q', 'first'), array['2', '3'], 'and sees events again');
select is(pgtq.register_consumer_at('q', 'named', 4), 0, 'an existing one is moved on');
select is(drain('q', 'named'), '{}', 'and has skipped events');
select throws_ok($$select pgtq.register_consumer_at('q', 'mid', 99)$$, '42704', 'cannot reposition, tick not found: 99', 'moved to no tick');
select is((select last_tick from pgtq.get_consumer_info('q', 'mid')), 4::bigint, 'it is where it was');

-- moving drops an open batch
select pgtq.insert_event('q', 't', '4');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'mid') as batch \gset
select is(datas(:batch), array['4'], 'an open batch');
select is(pgtq.register_consumer_at('q', 'mid', 3), 0, 'moved with an open batch');
select is((select current_batch from pgtq.get_consumer_info('q', 'mid')), null, 'the batch is no longer open');
select throws_ok(format('select * from pgtq.get_batch_events(%s)', :batch), '42704', 'batch not found', 'nor read');
select is(pgtq.finish_batch(:batch), 0, 'nor finished');
select pgtq.next_batch('q', 'mid') as batch2 \gset
select isnt(:batch2, :batch, 'the next batch is another');
select is(datas(:batch2), array['3'], 'it starts at the tick');

-- null does not move
select is(pgtq.register_consumer_at('q', 'mid', null), 0, 'null tick, an existing one');
select is(pgtq.next_batch('q', 'mid'), :batch2::bigint, 'is not moved, and keeps its batch');

-- to the tick where it is: the batch is dropped all the same
select pgtq.register_consumer_at('q', 'mid', 3);
select is((select current_batch from pgtq.get_consumer_info('q', 'mid')), null, 'moved to where it is, the batch is dropped');
select is(drain('q', 'mid'), array['3', '4'], 'and nothing is lost');
select * from finish();
