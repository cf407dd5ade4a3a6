-- get_queue_info().
select plan(19);
\ir ../common.psql
select is((select count(*) from pgtq.get_queue_info()), 0::bigint, 'no queues');
select pgtq.create_queue('b'), pgtq.create_queue('a');
select is((select array_agg(queue_name) from pgtq.get_queue_info()), array['a', 'b'], 'all queues, by name');
select is((select array_agg(queue_name) from pgtq.get_queue_info(null)), array['a', 'b'], 'null: all');
select is((select array_agg(queue_name) from pgtq.get_queue_info(i_queue_name => 'b')), array['b'], 'one queue');
select is((select count(*) from pgtq.get_queue_info('none')), 0::bigint, 'unknown: no row');
select results_eq(format($$select n collate "default", t::regtype::text from pg_proc, unnest(proargnames, proallargtypes, proargmodes) u (n, t, m)
                     where oid = %L::regprocedure and m = 'o'$$, f),
    $$values ('queue_name', 'text'), ('queue_ntables', 'integer'), ('queue_cur_table', 'integer'), ('queue_rotation_period', 'interval'),
             ('queue_switch_time', 'timestamp with time zone'), ('queue_external_ticker', 'boolean'), ('queue_ticker_paused', 'boolean'),
             ('queue_ticker_max_count', 'integer'), ('queue_ticker_max_lag', 'interval'), ('queue_ticker_idle_period', 'interval'),
             ('ticker_lag', 'interval'), ('ev_per_sec', 'double precision'), ('ev_new', 'bigint'), ('last_tick_id', 'bigint')$$, f)
  from unnest(array['pgtq.get_queue_info()', 'pgtq.get_queue_info(text)']) f;
select results_eq($$select queue_ntables, queue_cur_table, queue_rotation_period, queue_switch_time, queue_external_ticker, queue_ticker_paused,
                           queue_ticker_max_count, queue_ticker_max_lag, queue_ticker_idle_period from pgtq.get_queue_info('a')$$,
                  $$select 3, 0, interval '2 h', queue_switch_time, false, false, 500, interval '3 s', interval '1 min'
                      from pgtq.queue where queue_name = 'a'$$, 'settings of a new queue');
select results_eq($$select ev_per_sec, ev_new, last_tick_id from pgtq.get_queue_info('a')$$, $$values (null::float8, 0::bigint, 1::bigint)$$, 'state of a new queue');

update pgtq.queue set queue_rotation_period = '5 h', queue_external_ticker = true, queue_ticker_paused = true, queue_ticker_max_count = 6,
                      queue_ticker_max_lag = '7 s', queue_ticker_idle_period = '8 s' where queue_name = 'b';
select results_eq($$select queue_rotation_period, queue_external_ticker, queue_ticker_paused, queue_ticker_max_count, queue_ticker_max_lag,
                           queue_ticker_idle_period from pgtq.get_queue_info('b')$$,
                  $$values (interval '5 h', true, true, 6, interval '7 s', interval '8 s')$$, 'changed settings');

-- events and ticks
select always_tick('a');
select pgtq.insert_event('a', 't', 'd');
select is((select ev_new from pgtq.get_queue_info('a')), 1::bigint, 'the first event of a queue is new');
select pgtq.insert_event('a', 't', 'd') from generate_series(1, 9);
select is((select ev_new from pgtq.get_queue_info('a')), 10::bigint, 'ten are new');
select pgtq.ticker('a');
select results_eq($$select ev_new, last_tick_id from pgtq.get_queue_info('a')$$, $$values (0::bigint, 2::bigint)$$, 'ticked, none is new');
update pgtq.tick set tick_time = clock_timestamp() - case tick_id when 1 then interval '105 s' else interval '100 s' end;
select ok(ticker_lag between '100 s' and '160 s', 'ticker_lag') from pgtq.get_queue_info('a');
select ok(abs(ev_per_sec - 2) < 0.01, 'ev_per_sec: 10 events in 5 seconds') from pgtq.get_queue_info('a');
select is((select count(*) from pgtq.get_queue_info() where last_tick_id = 1), 1::bigint, 'the other queue has its own ticks');

-- over the last 20 ticks only
update pgtq.queue set queue_external_ticker = true where queue_name = 'a';
select pgtq.ticker('a', n, timestamptz '2001-01-01 00:00+00' + n * interval '1 s', 1000 + n * 3) from generate_series(3, 40) n;
select ok(abs(ev_per_sec - 3) < 0.01, 'ev_per_sec: over the last 20 ticks') from pgtq.get_queue_info('a');

-- the current table
update pgtq.queue set queue_external_ticker = false, queue_rotation_period = '0' where queue_name = 'a';
select pgtq.maint_rotate_tables_step1('a');
select is((select queue_cur_table from pgtq.get_queue_info('a')), 1, 'after a rotation');
select is((select last_tick_id from pgtq.get_queue_info('a')), 40::bigint, 'ticks are found in all tables');
select * from finish();
