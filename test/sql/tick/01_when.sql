-- When ticker(queue) makes a tick: max_count, max_lag, idle_period.
select plan(34);
\ir ../common.psql
select pgtq.create_queue('q');
-- never by time, unless said so below
select pgtq.set_queue_config('q', p, '1 hour') from unnest(array['ticker_max_lag', 'ticker_idle_period']) p;
-- the last tick was i_last ago, the one before it i_before ago
create function make_old(i_last interval, i_before interval) returns void as $$
    update pgtq.tick set tick_time = clock_timestamp() - case when tick_id = (select max(tick_id) from pgtq.tick) then i_last else i_before end;
$$ language sql;

select throws_ok($$select pgtq.ticker('none')$$, '42704', 'no such queue', 'unknown queue');
select throws_ok($$select pgtq.ticker(null::text)$$, '42704', 'no such queue', 'null');

select is(pgtq.ticker('q'), 2::bigint, 'there is a second tick soon, so that there is an interval');
select is(pgtq.ticker('q'), null, 'no events: none');

-- the first event of a queue is seen as new
select pgtq.set_queue_config('q', 'ticker_max_count', '1');
select is((select tick_event_seq from pgtq.tick where tick_id = 2), 0::bigint, 'no event yet');
select pgtq.insert_event('q', 't', '1');
select is(pgtq.ticker('q'), 3::bigint, 'the first event of a queue is seen as new');
select is((select tick_event_seq from pgtq.tick where tick_id = 3), 1::bigint, 'its tick knows the event sequence');
select is(pgtq.ticker('q'), null, 'seen once');

-- max_count
select pgtq.set_queue_config('q', 'ticker_max_count', '3');
select pgtq.insert_event('q', 't', '2');
select pgtq.insert_event('q', 't', '3');
select is(pgtq.ticker('q'), null, '2 events, max_count 3');
select pgtq.insert_event('q', 't', '4');
select is(pgtq.ticker('q'), 4::bigint, '3 events, max_count 3');
select pgtq.set_queue_config('q', 'ticker_max_count', '0');
select is(pgtq.ticker('q'), null, 'no event, max_count 0');
select pgtq.insert_event('q', 't', '5');
select is(pgtq.ticker('q'), 5::bigint, '1 event, max_count 0');
select pgtq.set_queue_config('q', 'ticker_max_count', '500');

-- max_lag
select pgtq.insert_event('q', 't', '6');
select is(pgtq.ticker('q'), null, '1 event, and the last tick is younger than max_lag');
select make_old('59 min', '60 min');
select is(pgtq.ticker('q'), null, 'still younger');
select make_old('61 min', '62 min');
select is(pgtq.ticker('q'), 6::bigint, '1 event, and the last tick is older than max_lag');
select pgtq.set_queue_config('q', 'ticker_max_lag', '0');
select pgtq.insert_event('q', 't', '7');
select is(pgtq.ticker('q'), 7::bigint, 'max_lag 0');

-- idle
select pgtq.set_queue_config('q', 'ticker_max_lag', '20 s');
select pgtq.set_queue_config('q', 'ticker_idle_period', '1 hour');
select make_old('5 s', '6 s');
select is(pgtq.ticker('q'), null, 'idle: not within half of max_lag');
select make_old('100 s', '200 s');
select is(pgtq.ticker('q'), null, 'idle: the last interval was 100 s, not after 100 s');
select make_old('201 s', '301 s');
select is(pgtq.ticker('q'), 8::bigint, 'idle: the last interval was 100 s, so after 200 s');
select make_old('59 min', '10 h');
select is(pgtq.ticker('q'), null, 'idle: not before idle_period');
select make_old('61 min', '10 h');
select is(pgtq.ticker('q'), 9::bigint, 'idle: after idle_period');
select pgtq.set_queue_config('q', p, '0') from unnest(array['ticker_max_lag', 'ticker_idle_period']) p;
select is(pgtq.ticker('q'), 10::bigint, 'idle_period 0: always');
select is(pgtq.ticker('q'), 11::bigint, 'always');

-- an event whose transaction was running at the last tick: the sequence does not tell of it
\set gid :DBNAME '_ticker'
begin;
select pgtq.insert_event('q', 't', 'late');
prepare transaction :'gid';
select is(pgtq.ticker('q'), 12::bigint, 'a tick while the event''s transaction runs');
select pgtq.set_queue_config('q', 'ticker_idle_period', '10 h');
select make_old('1 h', '9 h');
select is(pgtq.ticker('q'), null, 'nothing new yet');
commit prepared :'gid';
select isnt(pgtq.ticker('q'), null, 'it has ended: the event is new');
select make_old('1 h', '9 h');
select is(pgtq.ticker('q'), null, 'once');
-- the same, when a younger transaction has ended before the tick
begin;
select pgtq.insert_event('q', 't', 'late too');
prepare transaction :'gid';
select pgtq.insert_event('q', 't', 'early');
select isnt(pgtq.ticker('q'), null, 'a tick for the younger one');
select make_old('1 h', '9 h');
select is(pgtq.ticker('q'), null, 'nothing new yet');
commit prepared :'gid';
select isnt(pgtq.ticker('q'), null, 'it has ended, too: the event is new');
select make_old('1 h', '9 h');
select is(pgtq.ticker('q'), null, 'once');

-- a rolled back event does no harm
begin;
select pgtq.insert_event('q', 't', 'rolled back');
rollback;
select isnt(pgtq.ticker('q'), null, 'an id that was used up counts as an event');
select make_old('1 h', '9 h');
select is(pgtq.ticker('q'), null, 'once');

-- the clock was set back: the last tick is in the future
update pgtq.tick set tick_time = clock_timestamp() + tick_id * interval '1 day';
select pgtq.set_queue_config('q', 'ticker_max_lag', '1 h');
select pgtq.insert_event('q', 't', 'back in time');
select isnt(pgtq.ticker('q'), null, 'a tick in the future does not stop the ticker');

select * from finish();
