-- SECURITY DEFINER functions are not led astray by what a caller puts on his search_path,
-- and what get_batch_cursor() is given runs as the caller.
\ir ../common.psql
\ir setup.psql
select plan(7);
select pgtq.create_queue('q'), always_tick('q');
update pgtq.queue set queue_rotation_period = '0';
create table secret (x text);
insert into secret values ('s');
\ir hostile.psql

-- get_batch_cursor: the condition is the caller's own SQL
select pgtq.register_consumer('q', 'w'), pgtq.insert_event('q', 't', 'd');
select pgtq.ticker('q');
create function public.whoami() returns text as $$ select current_user::text; $$ language sql volatile;
set role :worker;
select pgtq.next_batch('q', 'w') as batch \gset
select is((select count(*) from pgtq.get_batch_cursor(:batch, 'me', 1, format('public.whoami() = %L', :'worker'))), 1::bigint, 'the condition runs as the caller');
select throws_ok(format('select * from pgtq.get_batch_cursor(%s, $$steal$$, 1, $$exists (select from public.secret)$$)', :batch), '42501', null, 'and cannot read what he cannot');
select throws_ok(format('select * from pgtq.get_batch_cursor(%s, $$x$$, 1, $$true) y; drop table public.secret; --$$)', :batch), null, null, 'nor do anything else');
select pgtq.finish_batch(:batch);
reset role;

-- each call of a SECURITY DEFINER function, on this search_path; results go into variables
grant usage, create on schema public to :boss;
\set evil 'set search_path = evil, pg_catalog'
:evil;
set role :boss;
select public.error_of('select length(text ''x'')') as trap1, public.error_of('select text ''x'' || text ''y''') as trap2 \gset
select pgtq.create_queue('h') as r1, pgtq.set_queue_config('h', 'ticker_max_lag', '0') as r2, pgtq.set_queue_config('h', 'rotation_period', '0') as r3,
       pgtq.set_queue_config('h', 'ticker_idle_period', '0') as r4, pgtq.set_queue_config('h', 'per_tx_limit', '100') as r5 \gset
set role :worker;
select pgtq.register_consumer('h', 'c') as r6 \gset
set role :producer;
select pgtq.insert_event('h', 't', 'one') as r7, pgtq.insert_event('h', 't', 'two', 'a', 'b', 'c', 'd') as r8, pgtq.current_event_table('h') as r9 \gset
set role :boss;
select pgtq.ticker('h') as r10 \gset
set role :worker;
select pgtq.next_batch('h', 'c') as b \gset
select ev_data as r11 from pgtq.get_batch_events(:b) limit 1 \gset
select queue_name as r12 from pgtq.get_batch_info(:b) \gset
select pgtq.event_retry(:b, 1, 0) as r13, pgtq.batch_retry(:b, 0) as r14 \gset
select pgtq.finish_batch(:b) as r15 \gset
select pgtq.force_tick('h') as r16 \gset
select queue_name as r17 from pgtq.get_queue_info('h') \gset
select consumer_name as r18 from pgtq.get_consumer_info('h', 'c') \gset
select batch_id as b2 from pgtq.next_batch_custom('h', 'c', null, 1, '1 hour') \gset
set role :boss;
select pgtq.maint_retry_events() as r19 \gset
select pgtq.ticker() as r20 \gset
select pgtq.maint_rotate_tables_step1('h') as r21 \gset
select pgtq.maint_rotate_tables_step2() as r22 \gset
select pgtq.event_retry_raw('h', 'c', '2001-01-01', 5, '2001-01-01', 1, 't', 'd', null, null, null, null) as r24 \gset
select pgtq.grant_perms('h') as r25, pgtq.tune_storage('h') as r26 \gset
select func_name as r27 from pgtq.maint_operations() limit 1 \gset
set role :worker;
select pgtq.register_consumer_at('h', 'c', 2) as r28 \gset
select pgtq.unregister_consumer('h', 'c') as r29 \gset
set role :boss;
select pgtq.drop_queue('h', true) as r30 \gset
reset role;
reset search_path;
select is(array[(:'trap1'::text[])[2], (:'trap2'::text[])[2]], array['hostile length runs as ' || :'boss', 'hostile operator runs as ' || :'boss'], 'the traps are set');
select is(array[:'r1', :'r2', :'r3', :'r4', :'r5', :'r6', :'r7', :'r8', :'r10'], array['1', '1', '1', '1', '1', '1', '1', '2', '2'], 'queue, consumer, events, tick');
select is(array[:'r11', :'r12', :'r13', :'r14', :'r15', :'r16', :'r17', :'r18'], array['one', 'h', '1', '1', '1', '2', 'h', 'c'], 'batches and retries');
select is(array[:'r19', :'r21', :'r22', :'r25', :'r26', :'r28', :'r29', :'r30'], array['2', '0', '0', '1', '1', '0', '1', '1'], 'maintenance and the end');
select * from finish();
\ir teardown.psql
