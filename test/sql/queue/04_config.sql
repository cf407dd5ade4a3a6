-- set_queue_config(), and an admin's UPDATE of pgtq.queue.
begin;
select plan(83);
\ir ../common.psql
select pgtq.create_queue('q'), pgtq.create_queue('untouched');

-- every parameter
select is(pgtq.set_queue_config('q', 'ticker_max_count', '7'), 1, 'ticker_max_count');
select is(queue_ticker_max_count, 7, 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', 'ticker_max_lag', '8 seconds'), 1, 'ticker_max_lag');
select is(queue_ticker_max_lag, interval '8 s', 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', 'ticker_idle_period', '9 minutes'), 1, 'ticker_idle_period');
select is(queue_ticker_idle_period, interval '9 min', 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', 'ticker_paused', 'true'), 1, 'ticker_paused');
select is(queue_ticker_paused, true, 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', 'rotation_period', '10 hours'), 1, 'rotation_period');
select is(queue_rotation_period, interval '10 h', 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', 'external_ticker', 'on'), 1, 'external_ticker');
select is(queue_external_ticker, true, 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', 'disable_insert', 't'), 1, 'disable_insert');
select is(queue_disable_insert, true, 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', 'per_tx_limit', '11'), 1, 'per_tx_limit');
select is(queue_per_tx_limit, 11, 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', 'extra_maint', '{a.b,"c d"}'), 1, 'extra_maint');
select is(queue_extra_maint, array['a.b', 'c d'], 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', param, '0'), 1, param || ' may be 0')
  from unnest(array['ticker_max_count', 'ticker_max_lag', 'ticker_idle_period', 'rotation_period', 'per_tx_limit']) param;

-- null: only where it means something
select is(pgtq.set_queue_config('q', 'per_tx_limit', null), 1, 'per_tx_limit null');
select is(queue_per_tx_limit, null::integer, 'is set') from pgtq.queue where queue_name = 'q';
select is(pgtq.set_queue_config('q', 'extra_maint', null), 1, 'extra_maint null');
select is(queue_extra_maint, null::text[], 'is set') from pgtq.queue where queue_name = 'q';
select throws_ok(format('select pgtq.set_queue_config(%L, %L, null)', 'q', param), '22023',
                 format('invalid value for parameter "%s": NULL', param), param || ' must not be null')
  from unnest(array['ticker_max_count', 'ticker_max_lag', 'ticker_idle_period', 'ticker_paused',
                    'rotation_period', 'external_ticker', 'disable_insert']) param;
select throws_ok($$select pgtq.set_queue_config(null, 'ticker_max_count', '1')$$, '22004', 'Invalid NULL value', 'null queue');
select throws_ok($$select pgtq.set_queue_config('q', null, '1')$$, '22004', 'Invalid NULL value', 'null parameter');

-- a bad value
select throws_ok(format('select pgtq.set_queue_config(%L, %L, %L)', 'q', param, value), '22023',
                 format('invalid value for parameter "%s": %L', param, value), format('%s = %L', param, value))
  from (values ('ticker_max_count', 'many'), ('ticker_max_count', '-1'), ('ticker_max_count', '1.5'),
               ('ticker_max_count', '99999999999'), ('ticker_max_count', ''),
               ('ticker_max_lag', 'soon'), ('ticker_max_lag', '-1 second'),
               ('ticker_idle_period', '-1'), ('ticker_idle_period', '1 parsec'),
               ('rotation_period', '-1 hour'), ('rotation_period', '99999999999999 years'),
               ('rotation_period', '1001 years'), ('ticker_max_lag', '170000000 years'), ('ticker_idle_period', '1001 years'),
               ('ticker_paused', 'perhaps'), ('external_ticker', '2'), ('disable_insert', 'nope'),
               ('per_tx_limit', '-1'), ('per_tx_limit', 'x'''), ('extra_maint', 'no array'), ('extra_maint', '{a')) v (param, value);
select matches((error_of($$select pgtq.set_queue_config('q', 'ticker_max_count', 'many')$$))[3], 'integer.*many',
               'its detail says what is wrong');

-- an unknown name
select throws_ok(format('select pgtq.set_queue_config(%L, %L, %L)', 'q', param, '1'), '42P02',
                 format('cannot change parameter "%s"', param), 'no parameter: ' || quote_literal(param))
  from unnest(array['max_count', 'queue_ticker_max_count', 'TICKER_MAX_COUNT', '', 'ntables', 'cur_table', 'name', 'id',
                    'data_pfx', 'event_seq', 'tick_seq', 'switch_time', 'x = 1 --']) param;
select is((error_of($$select pgtq.set_queue_config('q', 'x', '1')$$))[4],
          'Parameters: ticker_max_count, ticker_max_lag, ticker_idle_period, ticker_paused, rotation_period, '
          'external_ticker, disable_insert, per_tx_limit, extra_maint.', 'the hint lists them all');

select throws_ok($$select pgtq.set_queue_config('none', 'ticker_max_count', '1')$$, '42704', 'No such event queue', 'unknown queue');
select is((error_of($$select pgtq.set_queue_config('none', 'x', '1')$$))[3], 'Queue: none', 'its detail');

-- no other queue was touched
select results_eq(
    $$select queue_ticker_max_count, queue_ticker_max_lag, queue_ticker_paused, queue_rotation_period,
             queue_external_ticker, queue_disable_insert from pgtq.queue where queue_name = 'untouched'$$,
    $$values (500, interval '3 s', false, interval '2 h', false, false)$$, 'the other queue is as it was');

-- an admin may update the table, within its constraints
set local role pgtq_admin;
update pgtq.queue set queue_ticker_max_count = 77, queue_per_tx_limit = 5, queue_extra_maint = '{x}',
                      queue_rotation_period = '1 day' where queue_name = 'untouched';
reset role;
select results_eq(
    $$select queue_ticker_max_count, queue_per_tx_limit, queue_extra_maint, queue_rotation_period
        from pgtq.queue where queue_name = 'untouched'$$,
    $$values (77, 5, array['x'], interval '1 day')$$, 'an admin updates pgtq.queue');
select throws_ok(format('update pgtq.queue set %s', change), '23514', null, 'refused: ' || change)
  from unnest(array['queue_ticker_max_count = -1', $$queue_ticker_max_lag = '-1 s'$$, $$queue_ticker_idle_period = '-1 s'$$,
                    $$queue_rotation_period = '-1 s'$$, $$queue_rotation_period = '170000000 years'$$, 'queue_per_tx_limit = -1']) change;
select throws_ok($$insert into pgtq.queue (queue_name, queue_data_pfx, queue_event_seq, queue_tick_seq, queue_home)
                   values ('q', 'x', 'y', 'z', 'here')$$, '23505', null, 'queue names are unique');

select * from finish();
rollback;
