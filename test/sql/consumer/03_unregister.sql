-- unregister_consumer(): what it returns and what it removes.
select plan(23);
\ir ../common.psql
select pgtq.create_queue('q'), pgtq.create_queue('other'), always_tick('q');
select is(pgtq.unregister_consumer('none', 'c'), 0, 'unknown queue');
select is(pgtq.unregister_consumer('q', 'c'), 0, 'unknown consumer');
select is(pgtq.unregister_consumer(null, null), 0, 'nulls');

select pgtq.register_consumer('q', 'c'), pgtq.register_consumer('q', 'd'), pgtq.register_consumer('other', 'c');
select pgtq.insert_event('q', 't', n::text) from generate_series(1, 3) n;
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch, pgtq.next_batch('q', 'd') as batch_d \gset
select pgtq.batch_retry(:batch, 0), pgtq.event_retry(:batch_d, 1, 0);
select is((select count(*) from pgtq.retry_queue), 4::bigint, 'events wait for their retry');

select is(pgtq.unregister_consumer('q', 'c'), 1, 'unregistered');
select is((select count(*) from pgtq.retry_queue), 1::bigint, 'its retries are gone, and no others');
select is((select array_agg(queue_name || '/' || consumer_name) from pgtq.get_consumer_info()), array['other/c', 'q/d'], 'the others are there');
select is((select array_agg(co_name order by 1) from pgtq.consumer), array['c', 'd'], 'its name stays, for it is registered elsewhere');
select throws_ok($$select pgtq.next_batch('q', 'c')$$, '42704', 'Not subscriber to queue: q/c', 'it has no batches');
select is(pgtq.unregister_consumer('q', 'c'), 0, 'unregistered twice');

-- its open batch is gone
select throws_ok(format('select * from pgtq.get_batch_events(%s)', :batch), '42704', 'batch not found', 'get_batch_events of its batch');
select throws_ok(format('select pgtq.event_retry(%s, 1, 0)', :batch), '42704', 'batch not found', 'event_retry of its batch');
select throws_ok(format('select pgtq.batch_retry(%s, 0)', :batch), '42704', 'batch not found', 'batch_retry of its batch');
select throws_ok(format('select pgtq.batch_event_sql(%s)', :batch), '42704', 'batch not found', 'batch_event_sql of its batch');
select is((select queue_name from pgtq.get_batch_info(:batch)), null, 'get_batch_info of its batch');
select is(pgtq.finish_batch(:batch), 0, 'finish_batch of its batch');

select is(pgtq.unregister_consumer('other', 'c'), 1, 'unregistered elsewhere');
select is((select array_agg(co_name) from pgtq.consumer), array['d'], 'now its name is gone');

-- the same name anew is another registration, at the newest tick
select is(pgtq.register_consumer('q', 'c'), 1, 'registered anew');
select pgtq.ticker('q');
select is(drain('q', 'c'), '{}', 'without what it had before');

-- a retry that is back in the queue has lost its owner
select pgtq.finish_batch(:batch_d);
select pgtq.ticker('q');        -- puts the event back
select is(pgtq.unregister_consumer('q', 'd'), 1, 'unregistered with a retry in the queue');
select pgtq.register_consumer_at('q', 'd', (select min(tick_id) from pgtq.tick where tick_event_seq >= 3));
select pgtq.ticker('q');
select is(drain('q', 'd'), '{}', 'registered anew it does not get it');

begin;
select pgtq.unregister_consumer('q', 'd');
rollback;
select lives_ok($$select pgtq.next_batch('q', 'd')$$, 'rolled back: it is still registered');
select * from finish();
