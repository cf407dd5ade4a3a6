-- next_batch() and next_batch_info(): an open batch comes again until it is finished.
select plan(35);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c'), pgtq.register_consumer('q', 'd');

-- errors
select throws_ok($$select pgtq.next_batch('none', 'c')$$, '42704', 'Not subscriber to queue: none/c', 'unknown queue');
select throws_ok($$select pgtq.next_batch('q', 'x')$$, '42704', 'Not subscriber to queue: q/x', 'unknown consumer');
select throws_ok($$select pgtq.next_batch(null, null)$$, '42704', 'Not subscriber to queue: NULL/NULL', 'nulls');
select throws_ok($$select * from pgtq.next_batch_info('q', 'x')$$, '42704', 'Not subscriber to queue: q/x', 'next_batch_info: unknown consumer');
select throws_ok($$select * from pgtq.next_batch_custom('q', 'x', null, null, null)$$, '42704', 'Not subscriber to queue: q/x', 'next_batch_custom: unknown consumer');
select is((error_of($$select pgtq.next_batch('q', 'x')$$))[4], 'Consumers are made with register_consumer().', 'the hint');

-- nothing to read
select is(pgtq.next_batch('q', 'c'), null, 'nothing: null');
select results_eq($$select * from pgtq.next_batch_info('q', 'c')$$,
                  $$values (null::bigint, null::bigint, null::bigint, null::timestamptz, null::timestamptz, null::bigint, null::bigint)$$,
                  'nothing: a row of nulls');
select pgtq.insert_event('q', 't', '1');
select is(pgtq.next_batch('q', 'c'), null, 'an event that is not ticked: null');

-- a batch
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select ok(:batch > 0, 'a batch');
select is(pgtq.next_batch('q', 'c'), :batch::bigint, 'the same batch');
select pgtq.insert_event('q', 't', '2');
select pgtq.ticker('q');
select is(pgtq.next_batch('q', 'c'), :batch::bigint, 'the same batch, though there is a new tick');
select is((pgtq.next_batch_info('q', 'c')).batch_id, :batch::bigint, 'the same from next_batch_info');
select is((pgtq.next_batch_custom('q', 'c', '1 hour', 1000, '1 hour')).batch_id, :batch::bigint, 'the same from next_batch_custom, whatever is wished');
select is(datas(:batch), array['1'], 'with the same events');
select isnt(pgtq.next_batch('q', 'd'), :batch::bigint, 'another consumer has another batch');

-- next_batch_info
select results_eq(
    $$select cur_tick_id, prev_tick_id, cur_tick_time, prev_tick_time, cur_tick_event_seq, prev_tick_event_seq
        from pgtq.next_batch_info('q', 'c')$$,
    $$select c.tick_id, p.tick_id, c.tick_time, p.tick_time, c.tick_event_seq, p.tick_event_seq
        from pgtq.tick c, pgtq.tick p where c.tick_id = 2 and p.tick_id = 1$$, 'ticks, times and event sequences');
select is((select array_agg(format('%s', a) order by n) from unnest((select proargnames from pg_proc
             where oid = 'pgtq.next_batch_info(text, text)'::regprocedure)) with ordinality u (a, n) where n > 2),
          array['batch_id', 'cur_tick_id', 'prev_tick_id', 'cur_tick_time', 'prev_tick_time', 'cur_tick_event_seq', 'prev_tick_event_seq'],
          'names of the columns');
select results_eq($$select * from pgtq.next_batch_info(i_queue_name => 'q', i_consumer_name => 'c')$$,
                  $$select * from pgtq.next_batch_custom(i_queue_name => 'q', i_consumer_name => 'c', i_min_lag => null, i_min_count => null, i_min_interval => null)$$,
                  'names of the parameters');

-- the next one
select is(pgtq.finish_batch(:batch), 1, 'finished');
select pgtq.next_batch('q', 'c') as batch2 \gset
select ok(:batch2 > :batch, 'the next batch has a higher id');
select is(datas(:batch2), array['2'], 'and the next event');
select results_eq($$select prev_tick_id, cur_tick_id from pgtq.next_batch_info('q', 'c')$$, $$values (2::bigint, 3::bigint)$$, 'it follows the first');
select is(pgtq.finish_batch(:batch2), 1, 'finished');
select is(pgtq.next_batch('q', 'c'), null, 'nothing more');

-- a batch without events is one all the same
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch3 \gset
select ok(:batch3 > :batch2, 'a tick without events makes a batch');
select is(datas(:batch3), '{}', 'an empty one');
select is(pgtq.finish_batch(:batch3), 1, 'it is finished like any other');

-- a batch that is rolled back was not opened
select pgtq.insert_event('q', 't', '3');
select pgtq.ticker('q');
begin;
select pgtq.next_batch('q', 'c') as rolled_back \gset
rollback;
select throws_ok(format('select * from pgtq.get_batch_events(%s)', :rolled_back), '42704', 'batch not found', 'opening was rolled back');
select pgtq.next_batch('q', 'c') as batch4 \gset
select is(datas(:batch4), array['3'], 'the next one has the events');
begin;
select pgtq.finish_batch(:batch4);
rollback;
select is(pgtq.next_batch('q', 'c'), :batch4::bigint, 'finishing was rolled back: it is still open');
select pgtq.finish_batch(:batch4);

-- two batches in one transaction
select pgtq.insert_event('q', 't', '4');
select pgtq.ticker('q');
select pgtq.insert_event('q', 't', '5');
select pgtq.ticker('q');
begin;
select is(drain('q', 'c'), array['4', '5'], 'two batches in one transaction');
commit;
select is(pgtq.next_batch('q', 'c'), null, 'both are finished');

-- under REPEATABLE READ
select pgtq.insert_event('q', 't', '6');
select pgtq.ticker('q');
begin isolation level repeatable read;
select is(drain('q', 'c'), array['6'], 'a batch under REPEATABLE READ');
commit;
select is(pgtq.next_batch('q', 'c'), null, 'it is finished');
select * from finish();
