-- drop_queue(): errors, force, and that nothing is left.
begin;
select plan(27);
\ir ../common.psql

select throws_ok($$select pgtq.drop_queue('none')$$, '42704', 'No such event queue', 'unknown');
select throws_ok($$select pgtq.drop_queue('none', true)$$, '42704', 'No such event queue', 'unknown, with force');
select throws_ok($$select pgtq.drop_queue(null, true)$$, '42704', 'No such event queue', 'null, with force');
select is(pgtq.drop_queue(null), null, 'the form of one argument is strict');

select pgtq.create_queue('q');
select queue_id as id from pgtq.queue where queue_name = 'q' \gset
select pgtq.register_consumer('q', 'c'), pgtq.register_consumer('q', 'd');
select throws_ok($$select pgtq.drop_queue('q')$$, '55006', 'cannot drop queue, consumers still attached',
                 'it has consumers');
select throws_ok($$select pgtq.drop_queue('q', false)$$, '55006', 'cannot drop queue, consumers still attached',
                 'force is false');
select throws_ok($$select pgtq.drop_queue('q', null)$$, '55006', 'cannot drop queue, consumers still attached',
                 'force is null');
select is((error_of($$select pgtq.drop_queue('q')$$))[4], 'Unregister them, or use drop_queue(queue, true).', 'its hint');
select is((select count(*) from pgtq.queue), 1::bigint, 'it is still there');
select is((select count(*) from pgtq.subscriber), 2::bigint, 'so are its consumers');

select pgtq.create_queue('other');
select pgtq.register_consumer('other', 'd');
select pgtq.insert_event('q', 't', 'd');
select pgtq.event_retry_raw('q', 'c', now(), null, now(), 1, 't', 'd', null, null, null, null);
select is((select count(*) from pgtq.retry_queue), 1::bigint, 'an event waits for its retry');
select is(pgtq.drop_queue('q', true), 1, 'dropped with force');

select is((select array_agg(queue_name) from pgtq.queue), array['other'], 'its row is gone');
select is((select count(*) from pgtq.subscriber), 1::bigint, 'its registrations are gone');
select is((select array_agg(co_name) from pgtq.consumer), array['d'],
          'a consumer is gone, but not the one that is registered elsewhere');
select is((select count(*) from pgtq.retry_queue), 0::bigint, 'its retries are gone');
select is((select count(*) from pg_class where relname ~ format('^(event|tick)_%s(_|$)', :id)
              and relnamespace = 'pgtq'::regnamespace), 0::bigint, 'tables, indexes and sequences are gone');
select is((select count(*) from pgtq.tick where tick_queue = :id), 0::bigint, 'its ticks are gone');
select throws_ok($$select pgtq.insert_event('q', 't', 'd')$$, '42704', 'No such queue', 'it takes no events');

select is(pgtq.drop_queue('q2'), 1, 'without consumers, one argument')
  from (select pgtq.create_queue('q2')) x;
select is((select count(*) from pgtq.queue where queue_name = 'q2'), 0::bigint, 'gone');
select is(pgtq.drop_queue('q3', false), 1, 'without consumers, without force')
  from (select pgtq.create_queue('q3')) x;

-- the name is free again, for a queue of its own
select is(pgtq.create_queue('q'), 1, 'created again');
select isnt((select queue_id from pgtq.queue where queue_name = 'q'), :id, 'under another id');
select is((select count(*) from pgtq.get_consumer_info('q')), 0::bigint, 'with no consumers');
select is(pgtq.insert_event('q', 't', 'd'), 1::bigint, 'and its ids start anew');

-- a drop that is rolled back has not happened
savepoint s;
select pgtq.drop_queue('q');
rollback to s;
select is(pgtq.insert_event('q', 't', 'd'), 2::bigint, 'a drop rolled back');

select * from finish();
rollback;
