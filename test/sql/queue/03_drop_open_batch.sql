-- A batch that was open when its queue was dropped.
select plan(3);
select pgtq.create_queue('b'), pgtq.register_consumer('b', 'c');
select pgtq.ticker('b');
select pgtq.next_batch('b', 'c') as batch \gset
select pgtq.drop_queue('b', true);
select throws_ok(format('select * from pgtq.get_batch_events(%s)', :batch), '42704', 'batch not found',
                 'get_batch_events of a queue that is gone');
select is(pgtq.finish_batch(:batch), 0, 'finish_batch of a queue that is gone');
select is((select queue_name from pgtq.get_batch_info(:batch)), null, 'get_batch_info of a queue that is gone');
select * from finish();
