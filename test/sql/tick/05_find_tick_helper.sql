-- find_tick_helper(): the tick that ends a batch of a wanted size.
begin;
select plan(16);
select pgtq.create_queue('q');
select queue_id as id from pgtq.queue \gset
select pgtq.set_queue_config('q', 'external_ticker', 'true');
-- tick 1 is that of create_queue; then one each minute with 10 events
update pgtq.tick set tick_time = '2001-01-01 00:00+00';
select pgtq.ticker('q', 1 + n, timestamptz '2001-01-01 00:00+00' + n * interval '1 min', n * 10) from generate_series(1, 6) n;
create function found(i_count bigint, i_interval interval, i_from bigint default 1) returns bigint as $$
    select (pgtq.find_tick_helper(tick_queue, tick_id, tick_time, tick_event_seq, i_count, i_interval)).next_tick_id
      from pgtq.tick where tick_id = i_from;
$$ language sql;
select is(found(61, null), null, 'not even the newest tick has as many');
select is(found(60, null), 7::bigint, 'the newest has just as many');
select is(found(35, null), 7::bigint, 'the newest is not twice too much');
select is(found(20, null), 3::bigint, 'it is too much: the first that is enough');
select is(found(21, null), 4::bigint, 'rounded up to a tick');
select is(found(1, null), 2::bigint, 'the next one');
select is(found(null, '7 min'), null, 'no interval as long');
select is(found(null, '6 min'), 7::bigint, 'the longest');
select is(found(null, '2 min'), 3::bigint, 'the first that is long enough');
select is(found(null, '150 s'), 4::bigint, 'rounded up to a tick');
select is(found(50, '1 min'), 2::bigint, 'either is enough');
select is(found(10, '1 hour'), 2::bigint, 'either is enough');
select is(found(70, '1 hour'), null, 'neither is met');
select is(found(20, null, 5), 7::bigint, 'from a later tick');
select is(found(1, null, 7), null, 'nothing after the newest');
select results_eq(format('select * from pgtq.find_tick_helper(%s, 1, $$2001-01-01 00:00+00$$, 0, 20, null)', :id),
                  $$values (3::bigint, timestamptz '2001-01-01 00:02+00', 20::bigint)$$, 'id, time and event sequence');
select * from finish();
rollback;
