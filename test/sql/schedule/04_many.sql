-- schedule_many.
\ir ../common.psql
select plan(18);
select is(pgtq.schedule_many(array['2100-01-01', '2100-01-02']::timestamptz[], array['a', 'b']), array[1, 2]::bigint[], 'two');
select results_eq('select id, fire_at, action, timeout_ms, shard_key from pgtq.timers order by id',
                  $$values (1::bigint, '2100-01-01'::timestamptz, 'a'::text, 0, 0::bigint), (2::bigint, '2100-01-02'::timestamptz, 'b'::text, 0, 0::bigint)$$, 'they are there');
select is(pgtq.schedule_many('{}', '{}'), '{}'::bigint[], 'none');
select is(pgtq.schedule_many(array['2100-01-03']::timestamptz[], array['c'], array[7], 50, max_attempts => 3, backoff => '2 s', expires_in => '1 d'), array[3]::bigint[], 'with options');
select results_eq('select ev_shard, ev_timeout, ev_attempts, ev_backoff, ev_expires from pgtq.delay where ev_timer = 3',
                  $$values (7::bigint, 50, 3, interval '2 s', '2100-01-04'::timestamptz)$$, 'they are stored');
select is(pgtq.schedule_many(array['2100-01-03', '2100-01-03', '2100-01-04']::timestamptz[], array['c', 'd', 'e'], key => array['k', 'l', 'k']), array[4, 5, null]::bigint[], 'keys: the second of one key is kept');
select is(pgtq.schedule_many(array['2100-01-05']::timestamptz[], array['f'], key => array['k'], on_conflict => 'replace'), array[4]::bigint[], 'keys: replaced');
select is(cardinality(pgtq.schedule_many(array_fill('2100-01-01'::timestamptz, array[2500]), array_fill('x'::text, array[2500]))), 2500, 'more than fit in one go');
select is((select count(*) from pgtq.delay), 2505::bigint, 'all are there');
select is((error_of($$select pgtq.schedule_many(null, array['x'])$$))[1:2], array['22004', 'fire_at and action must not be NULL'], 'null');
select is((error_of($$select pgtq.schedule_many(array[now()], array['x', 'y'])$$))[1:2], array['2202E', 'fire_at, action, shard_key and key must have the same number of elements'], 'lengths');
select is((error_of($$select pgtq.schedule_many(array[now(), null], array['x', 'y'])$$))[2], 'the time of a timer must not be NULL', 'a time is null');
select is((error_of($$select pgtq.schedule_many(array[now(), 'infinity'], array['x', 'y'])$$))[2], 'the time of a timer must be finite', 'a time is infinite');
select is((error_of($$select pgtq.schedule_many(array[now(), now()], array['x', ' '])$$))[2], 'the action of a timer must not be empty', 'an action is empty');
select is((error_of($$select pgtq.schedule_many(array[now(), now()], array['x', 'y'], key => array['a', ''])$$))[2], 'the key of a timer must have 1 to 255 characters', 'a key is empty');
select is((error_of($$select pgtq.schedule_many(array[now()], array['x'], timeout_ms => -1)$$))[2], 'timeout_ms must not be negative', 'an option');
select is((select count(*) from pgtq.delay), 2505::bigint, 'nothing of this was stored');
select is(cardinality(pgtq.schedule_many(array[now(), now()], array['x', 'y'], key => array['a', null])), 2, 'no key');
select * from finish();
