-- When retries come back: by the ticker, as soon as they are due, and in bulk.
select plan(16);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');
select pgtq.create_queue('paused'), always_tick('paused'), pgtq.register_consumer('paused', 'c');
select count(pgtq.insert_event('q', 't', n::text)) from generate_series(1, 100) n;
select pgtq.insert_event('paused', 't', 'p');
select pgtq.ticker();
select pgtq.next_batch('q', 'c') as batch, pgtq.next_batch('paused', 'c') as batch_p \gset
select pgtq.batch_retry(:batch, 0), pgtq.batch_retry(:batch_p, 0);
update pgtq.retry_queue set ev_retry_after = now() + interval '1 hour' where ev_id > 60 and ev_data <> 'p';
select pgtq.finish_batch(:batch), pgtq.finish_batch(:batch_p);

-- the ticker moves them even if it does not tick; then they count as new events
select pgtq.set_queue_config('q', p, '1 hour') from unnest(array['ticker_max_lag', 'ticker_idle_period']) p;
select is(pgtq.ticker('q'), null, 'the ticker does not tick');
select is((select count(*) from pgtq.retry_queue where ev_data <> 'p'), 40::bigint, 'but has moved all that is due');
select pgtq.set_queue_config('q', 'ticker_max_count', '1');
select isnt(pgtq.ticker('q'), null, 'they are new events');
select is(drain('q', 'c'), array(select n::text from generate_series(1, 60) n), 'and come, in the order of ids');
select is((select count(*) from pgtq.retry_queue where ev_data = 'p'), 0::bigint, 'the ticker of one queue moves those of all');

-- a paused queue has no ticker
select pgtq.set_queue_config('paused', 'ticker_paused', 'true');
select pgtq.ticker();
select is(drain('paused', 'c'), '{}'::text[], 'a paused queue: it waits');
select is(pgtq.maint_retry_events(), 0, 'nothing is left to move');
select pgtq.set_queue_config('paused', 'ticker_paused', 'false');
select pgtq.ticker('paused');
select is(drain('paused', 'c'), array['p'], 'and it comes');

-- a move that is rolled back has not happened, and nothing comes twice
update pgtq.retry_queue set ev_retry_after = now();
begin;
select pgtq.maint_retry_events();
rollback;
select is((select count(*) from pgtq.retry_queue), 40::bigint, 'rolled back: they wait');
select is(pgtq.maint_retry_events(), 40, 'moved');
select always_tick('q');
select pgtq.ticker('q');
select is(drain('q', 'c'), array(select n::text from generate_series(61, 100) n), 'each comes once');

-- a retry goes where the ring is, and the rotation does not lose it
select pgtq.insert_event('q', 't', 'rotated');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select pgtq.batch_retry(:batch, 0);
select pgtq.finish_batch(:batch);
update pgtq.queue set queue_rotation_period = '0';
select pgtq.maint_rotate_tables_step1('q');
select pgtq.ticker('q');
select pgtq.maint_rotate_tables_step1('q');
select pgtq.ticker('q');
select pgtq.maint_rotate_tables_step1('q');
select is(drain('q', 'c'), array['rotated'], 'a retry and a rotation');

-- moved back to an old tick, a consumer sees an event and its retry, and can ask for it once more
select pgtq.insert_event('q', 't', 'twice') as id \gset
select max(tick_id) as tick from pgtq.tick join pgtq.queue on queue_id = tick_queue where queue_name = 'q' \gset
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select pgtq.event_retry(:batch, :id, 0), pgtq.finish_batch(:batch);
select pgtq.ticker('q');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['twice'], 'the retry');
select pgtq.register_consumer_at('q', 'c', :tick);
select batch_id as batch from pgtq.next_batch_custom('q', 'c', null, 2, null) \gset
select is(datas(:batch), array['twice', 'twice'], 'both in one batch');
select is(pgtq.event_retry(:batch, :id, 3600), 1, 'it is asked for once');
select is(pgtq.batch_retry(:batch, 3600), 0, 'and no more');
select * from finish();
