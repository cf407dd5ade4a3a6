-- An event that insert_event_raw() gives an owner is for that subscription only.
select plan(2);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q');
select pgtq.register_consumer('q', 'a'), pgtq.register_consumer('q', 'b');
select sub_id as a from pgtq.subscriber s join pgtq.consumer c on co_id = sub_consumer where co_name = 'a' \gset
select pgtq.insert_event_raw('q', null, null, :a, 3, 't', 'for a', null, null, null, null);
select pgtq.insert_event_raw('q', null, null, -1, 3, 't', 'for nobody', null, null, null, null);
select pgtq.insert_event('q', 't', 'for all');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'a') as batch \gset
select results_eq(format('select ev_data, ev_retry from pgtq.get_batch_events(%s)', :batch),
                  $$values ('for a', 3), ('for all', null::integer)$$, 'its owner gets it, with its retry count');
select is(drain('q', 'b'), array['for all'], 'the other consumer does not');
select * from finish();
