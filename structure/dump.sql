-- structure/dump.sql: what pg_dump is to save of an extension's own tables.
--@c
select pg_catalog.pg_extension_config_dump('pgtq.queue', '');
select pg_catalog.pg_extension_config_dump('pgtq.queue_queue_id_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.consumer', '');
select pg_catalog.pg_extension_config_dump('pgtq.consumer_co_id_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.subscriber', '');
select pg_catalog.pg_extension_config_dump('pgtq.subscriber_sub_id_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.position_0', 'where pos_sub > 0');
select pg_catalog.pg_extension_config_dump('pgtq.position_1', 'where pos_sub > 0');
select pg_catalog.pg_extension_config_dump('pgtq.position_2', 'where pos_sub > 0');
select pg_catalog.pg_extension_config_dump('pgtq.position_cur_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.batch_id_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.timer_id_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.delay_cur_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.delay_0', '');
select pg_catalog.pg_extension_config_dump('pgtq.delay_1', '');
select pg_catalog.pg_extension_config_dump('pgtq.delay_2', '');
select pg_catalog.pg_extension_config_dump('pgtq.role', '');
select pg_catalog.pg_extension_config_dump('pgtq.schedule', '');
select pg_catalog.pg_extension_config_dump('pgtq.schedule_end', '');
select pg_catalog.pg_extension_config_dump('pgtq.schedule_id_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.history_0', 'where hi_timer > 0');
select pg_catalog.pg_extension_config_dump('pgtq.history_1', 'where hi_timer > 0');
select pg_catalog.pg_extension_config_dump('pgtq.history_2', 'where hi_timer > 0');
select pg_catalog.pg_extension_config_dump('pgtq.history_cur_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.done_0', '');
select pg_catalog.pg_extension_config_dump('pgtq.done_1', '');
select pg_catalog.pg_extension_config_dump('pgtq.done_2', '');
select pg_catalog.pg_extension_config_dump('pgtq.done_cur_seq', '');
select pg_catalog.pg_extension_config_dump('pgtq.carried', '');
select pg_catalog.pg_extension_config_dump('pgtq.job', '');
--@end
