-- register_consumer(): what it returns, and where a new consumer starts.
select plan(23);
\ir ../common.psql
select throws_ok($$select pgtq.register_consumer('q', 'c')$$, '42704', 'Event queue not created yet: q', 'unknown queue');
select is((error_of($$select pgtq.register_consumer('q', 'c')$$))[4], 'Queues are made with create_queue().', 'its hint');
select throws_ok($$select pgtq.register_consumer(null, 'c')$$, '42704', 'Event queue not created yet: <NULL>', 'null queue');
select pgtq.create_queue('q'), pgtq.create_queue('other'), always_tick('q'), always_tick('other');
select throws_ok($$select pgtq.register_consumer('q', null)$$, '22004', 'Consumer name must not be NULL', 'null consumer');
select is((select count(*) from pgtq.consumer), 0::bigint, 'no consumer yet');

select is(pgtq.register_consumer('q', 'c'), 1, 'a new registration');
select is(pgtq.register_consumer('q', 'c'), 0, 'it exists');
select is(pgtq.register_consumer(x_queue_name => 'q', x_consumer_id => 'd'), 1, 'another consumer, by named parameters');
select is(pgtq.register_consumer('other', 'c'), 1, 'the same consumer on another queue');
select is((select array_agg(co_name order by co_name) from pgtq.consumer), array['c', 'd'], 'two consumers');
select is((select count(*) from pgtq.subscriber), 3::bigint, 'three registrations');
select results_eq($$select queue_name, consumer_name, last_tick, current_batch, next_tick from pgtq.get_consumer_info()$$,
                  $$values ('other', 'c', 1::bigint, null::bigint, null::bigint), ('q', 'c', 1, null, null), ('q', 'd', 1, null, null)$$,
                  'they start at the newest tick');

-- a new consumer sees what comes after the newest tick
select pgtq.insert_event('q', 't', 'ticked');
select pgtq.ticker('q');
select pgtq.insert_event('q', 't', 'before');
select pgtq.register_consumer('q', 'late');
select pgtq.insert_event('q', 't', 'after');
select pgtq.ticker('q');
select is(drain('q', 'late'), array['before', 'after'], 'all events after the newest tick');
select is(drain('q', 'c'), array['ticked', 'before', 'after'], 'each consumer gets all events');
select is(drain('q', 'd'), array['ticked', 'before', 'after'], 'each consumer gets all events');
select is(drain('other', 'c'), '{}', 'of its own queue');

-- registering again changes nothing
select pgtq.insert_event('q', 't', 'next');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select pgtq.ticker('q');
select is(pgtq.register_consumer('q', 'c'), 0, 'registered again, with an open batch');
select is(pgtq.next_batch('q', 'c'), :batch::bigint, 'the batch is still open');
select is(datas(:batch), array['next'], 'with its events');

-- a registration that is rolled back
begin;
select pgtq.register_consumer('q', 'gone');
rollback;
select throws_ok($$select pgtq.next_batch('q', 'gone')$$, '42704', 'Not subscriber to queue: q/gone', 'rolled back');
select is(pgtq.register_consumer('q', 'gone'), 1, 'and made anew');
select is(pgtq.register_consumer('q', 'Имя "x" ''y'' %'), 1, 'any name will do');
select lives_ok($$select pgtq.next_batch('q', 'Имя "x" ''y'' %')$$, 'and is found');
select * from finish();
