-- create_queue(): what it returns, and what a new queue is made of.
begin;
select plan(86);
\ir ../common.psql

select is(pgtq.create_queue('q'), 1, 'a new queue');
select is((select count(*) from pg_locks where pid = pg_backend_pid() and relation = 'pgtq.delay'::regclass and mode not in ('AccessShareLock', 'RowShareLock')),
          0::bigint, 'the mover of timers does not wait until it is committed');
select is(pgtq.create_queue('q'), 0, 'it exists');
select is((select count(*) from pgtq.queue), 1::bigint, 'still one queue');
select throws_ok($$select pgtq.create_queue(null)$$, '22004', 'Invalid NULL value', 'a null name');
select is((select count(*) from pgtq.queue), 1::bigint, 'refused: still one queue');

select columns_are('pgtq', 'queue', array['queue_id', 'queue_name', 'queue_ntables', 'queue_cur_table',
    'queue_rotation_period', 'queue_switch_step1', 'queue_switch_step2', 'queue_switch_time',
    'queue_external_ticker', 'queue_disable_insert', 'queue_ticker_paused', 'queue_ticker_max_count',
    'queue_ticker_max_lag', 'queue_ticker_idle_period', 'queue_per_tx_limit', 'queue_data_pfx',
    'queue_event_seq', 'queue_tick_seq', 'queue_extra_maint', 'queue_first_tick', 'queue_executor', 'queue_home']);

-- the default of every column
select queue_id as id from pgtq.queue where queue_name = 'q' \gset
select is(queue_ntables, 3, 'queue_ntables') from pgtq.queue;
select is(queue_cur_table, 0, 'queue_cur_table') from pgtq.queue;
select is(queue_rotation_period, interval '2 hours', 'queue_rotation_period') from pgtq.queue;
select is(queue_switch_step1, pg_current_xact_id()::text::bigint, 'queue_switch_step1') from pgtq.queue;
select is(queue_switch_step2, pg_current_xact_id()::text::bigint, 'queue_switch_step2') from pgtq.queue;
select is(queue_switch_time, now(), 'queue_switch_time') from pgtq.queue;
select is(queue_external_ticker, false, 'queue_external_ticker') from pgtq.queue;
select is(queue_disable_insert, false, 'queue_disable_insert') from pgtq.queue;
select is(queue_ticker_paused, false, 'queue_ticker_paused') from pgtq.queue;
select is(queue_ticker_max_count, 500, 'queue_ticker_max_count') from pgtq.queue;
select is(queue_ticker_max_lag, interval '3 seconds', 'queue_ticker_max_lag') from pgtq.queue;
select is(queue_ticker_idle_period, interval '1 minute', 'queue_ticker_idle_period') from pgtq.queue;
select is(queue_per_tx_limit, null::integer, 'queue_per_tx_limit') from pgtq.queue;
select is(queue_data_pfx, 'pgtq.event_' || queue_id, 'queue_data_pfx') from pgtq.queue;
select is(queue_event_seq, 'pgtq.event_' || queue_id || '_id_seq', 'queue_event_seq') from pgtq.queue;
select is(queue_tick_seq, 'pgtq.event_' || queue_id || '_tick_seq', 'queue_tick_seq') from pgtq.queue;
select is(queue_extra_maint, null::text[], 'queue_extra_maint') from pgtq.queue;
select is(queue_first_tick, 1::bigint, 'queue_first_tick') from pgtq.queue;
select col_type_is('pgtq', 'queue', 'queue_extra_maint', 'text[]', 'queue_extra_maint is a list');

-- real sequences behind the two names
select is(relkind, 'S'::"char", 'the event sequence is one')
  from pgtq.queue join pg_class c on c.oid = queue_event_seq::regclass;
select is(relkind, 'S'::"char", 'the tick sequence is one')
  from pgtq.queue join pg_class c on c.oid = queue_tick_seq::regclass;
select is(nextval(queue_event_seq::regclass), 1::bigint, 'event ids start at 1') from pgtq.queue;

-- tables
select has_table('pgtq', format('event_%s', :id), 'the parent of the event tables');
select has_table('pgtq', format('event_%s_%s', :id, n), 'event table ' || n) from generate_series(0, 2) n;
select has_table('pgtq', format('tick_%s_%s', :id, n), 'tick table ' || n) from generate_series(0, 2) n;
select hasnt_table('pgtq', format('event_%s_3', :id), 'no fourth table');
select is(inhparent, 'pgtq.event_template'::regclass::oid, 'the parent is a child of the template')
  from pg_inherits where inhrelid = format('pgtq.event_%s', :id)::regclass;
select is(count(*), 3::bigint, 'three children')
  from pg_inherits where inhparent = format('pgtq.event_%s', :id)::regclass;
select is(rows_in(format('pgtq.event_%s_%s', :id, n)), 0::bigint, 'empty: ' || n) from generate_series(0, 2) n;

-- the first tick is made at once
select results_eq('select tick_queue, tick_id, tick_event_seq from pgtq.tick',
                  format('values (%s, 1::bigint, 0::bigint)', :id), 'the first tick');
select is(rows_in(format('pgtq.tick_%s_0', :id)), 1::bigint, 'it is in the current table');

-- the event id has a default for direct writes
select lives_ok(format('insert into pgtq.event_%s_0 (ev_time, ev_data) values (now(), $$direct$$)', :id),
                'a direct write needs no id');
select is(ev_id, 2::bigint, 'it gets the next one') from pgtq.event_template;
select is(ev_txid, pg_current_xact_id(), 'and its transaction id') from pgtq.event_template;

-- any name will do
select test
  from unnest(array['', ' ', 'a.b', 'We"ird ''%s'' $1 {} \', 'очередь ☃', repeat('long ', 100)]) name,
       lateral (values (is(pgtq.create_queue(name), 1, 'queue name ' || quote_literal(name))),
                       (is(pgtq.create_queue(name), 0, 'again')),
                       (is(pgtq.insert_event(name, 't', 'd'), 1::bigint, 'it takes events')),
                       (is(pgtq.register_consumer(name, name), 1, 'it takes consumers')),
                       (is((select queue_name from pgtq.get_queue_info(name)), name, 'it is found')),
                       (is(pgtq.drop_queue(name, true), 1, 'it goes'))) v (test);

-- a queue that is rolled back leaves nothing
savepoint s;
select pgtq.create_queue('gone');
rollback to s;
select is((select count(*) from pgtq.queue where queue_name = 'gone'), 0::bigint, 'rolled back');
select is(pgtq.create_queue('gone'), 1, 'and made again');

-- in the statement that creates it
create temp table one_statement as
    select pgtq.create_queue('new') as created, pgtq.insert_event('new', 't', 'd') as ev_id;
select results_eq('select created, ev_id from one_statement', 'values (1, 1::bigint)',
                  'create_queue and insert_event in one statement');

select * from finish();
rollback;
