-- A full cycle by ordinary roles: an admin, a producer that is just a pgtq_writer, a worker
-- that is just a pgtq_reader.
\ir ../common.psql
\ir setup.psql
select plan(51);

set role :boss;
select is(current_user::text, :'boss', 'the admin is an ordinary role');
select is(pgtq.create_queue('q'), 1, 'admin: create_queue');
select is(pgtq.set_queue_config('q', 'ticker_max_lag', '0'), 1, 'admin: set_queue_config');
update pgtq.queue set queue_ticker_idle_period = '0';
select is((select queue_ticker_idle_period from pgtq.queue), interval '0', 'admin: UPDATE pgtq.queue');

set role :worker;
select is(pgtq.register_consumer('q', 'c'), 1, 'reader: register_consumer');
select is(pgtq.next_batch('q', 'c'), null, 'reader: next_batch, nothing yet');

set role :producer;
select is(pgtq.insert_event('q', 't', '1'), 1::bigint, 'writer: insert_event');
select is(pgtq.insert_event('q', 't', '2', 'a', 'b', 'c', 'd'), 2::bigint, 'writer: insert_event, seven arguments');
select is(pgtq.current_event_table('q'), 'pgtq.event_1_0', 'writer: current_event_table');
select is((select ev_new from pgtq.get_queue_info('q')), 2::bigint, 'writer: get_queue_info');
select isnt(pgtq.version(), null, 'writer: version');

set role :boss;
select is(pgtq.insert_event_raw('q', null, null, null, null, 't', '3', null, null, null, null), 3::bigint, 'admin: insert_event_raw');
select pgtq.current_event_table('q') as events \gset
insert into :events (ev_time, ev_type, ev_data) values (now(), 't', '4');
select is(pgtq.ticker('q'), 2::bigint, 'admin: ticker');

set role :worker;
select pgtq.next_batch('q', 'c') as batch \gset
select is(datas(:batch), array['1', '2', '3', '4'], 'reader: get_batch_events');
select is((select array_agg(ev_data) from pgtq.get_batch_cursor(:batch, 'cur', 10)), array['1', '2', '3', '4'], 'reader: get_batch_cursor');
select is((select array_agg(ev_data) from pgtq.get_batch_cursor(:batch, 'cur', 10, 'ev_id > 2')), array['3', '4'], 'reader: get_batch_cursor, a condition');
select is((select consumer_name from pgtq.get_batch_info(:batch)), 'c', 'reader: get_batch_info');
select is((select batch_id from pgtq.next_batch_info('q', 'c')), :batch::bigint, 'reader: next_batch_info');
select is((select batch_id from pgtq.next_batch_custom('q', 'c', null, null, null)), :batch::bigint, 'reader: next_batch_custom');
select results_eq(pgtq.batch_event_sql(:batch), format('select * from pgtq.get_batch_events(%s)', :batch), 'reader: batch_event_sql');
select is((select count(*) from pgtq.batch_event_tables(:batch)), 3::bigint, 'reader: batch_event_tables');
select is(pgtq.event_retry(:batch, 1, 0), 1, 'reader: event_retry by seconds');
select is(pgtq.event_retry(:batch, 2, now()), 1, 'reader: event_retry by time');
select is(pgtq.batch_retry(:batch, 3600), 2, 'reader: batch_retry');
select is(pgtq.finish_batch(:batch), 1, 'reader: finish_batch');
select is(pgtq.force_tick('q'), 2::bigint, 'reader: force_tick');
select is((select current_batch from pgtq.get_consumer_info('q', 'c')), null, 'reader: get_consumer_info');
select is((select queue_name from pgtq.get_queue_info()), 'q', 'reader: get_queue_info');
select cmp_ok(pgtq.seq_getval('pgtq.event_1_id_seq'), '>', 2000::bigint, 'reader: seq_getval');
select is((pgtq.find_tick_helper(1, 1, now(), 0, 1, null)).next_tick_id, 2::bigint, 'reader: find_tick_helper');
select is((select count(*) from pgtq.subscription), 1::bigint, 'reader: the view subscription');
select is((select count(*) from pgtq.event_1), 4::bigint, 'reader: the event tables');
select is((select count(*) from pgtq.tick), 2::bigint, 'reader: the ticks');

set role :boss;
select is(pgtq.maint_retry_events(), 2, 'admin: maint_retry_events');
select is(pgtq.ticker(), 1::bigint, 'admin: ticker of all queues');
select is(pgtq.event_retry_raw('q', 'c', now(), 9999, now(), 1, 't', 'raw', null, null, null, null), 9999::bigint, 'admin: event_retry_raw');
select is((select count(*) from pgtq.retry_queue), 3::bigint, 'admin: sees the retry queue');
update pgtq.queue set queue_rotation_period = '0';
select is((select array_agg(func_name) from pgtq.maint_operations()), array['pgtq.maint_rotate_tables_step1', 'pgtq.maint_rotate_tables_step2'], 'admin: maint_operations');
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'admin: maint_rotate_tables_step1');
select is(pgtq.maint_rotate_tables_step2(), 0, 'admin: maint_rotate_tables_step2');
select is((select queue_cur_table from pgtq.queue), 1, 'it is rotated');
select is(pgtq.insert_event('q', 't', '5') > 0, true, 'admin: insert_event');
select is(pgtq.grant_perms('q') + pgtq.tune_storage('q'), 2, 'admin: grant_perms, tune_storage');
select is((select count(*) from pgtq.maint_tables_to_vacuum()), 0::bigint, 'admin: maint_tables_to_vacuum');
select is(pgtq.seq_setval('pgtq.event_1_id_seq', 5), pgtq.seq_getval('pgtq.event_1_id_seq'), 'admin: seq_setval, not back');
select is(pgtq.upgrade_schema(), 0, 'admin: upgrade_schema');
select pgtq.ticker('q');

set role :worker;
select is(drain('q', 'c'), array['1', '2', '5'], 'reader: the retries and the new event');
select is(pgtq.register_consumer_at('q', 'c', 3), 0, 'reader: register_consumer_at');
select is(pgtq.unregister_consumer('q', 'c'), 1, 'reader: unregister_consumer');

set role :boss;
select pgtq.create_queue('ext'), pgtq.set_queue_config('ext', 'external_ticker', 'true');
select is(pgtq.ticker('ext', 10, now(), 10), 10::bigint, 'admin: an external tick');
select is(pgtq.drop_queue('ext', true) + pgtq.drop_queue('q'), 2, 'admin: drop_queue');
reset role;
select * from finish();
\ir teardown.psql
