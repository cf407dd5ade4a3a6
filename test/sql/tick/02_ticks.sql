-- What a tick is: ids, times, snapshot, event sequence, horizon.  ticker() of all queues.
select plan(24);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q');
select pgtq.insert_event('q', 't', '1') from generate_series(1, 5);
select clock_timestamp() as before, pg_current_snapshot() as snap_before \gset
select is(pgtq.ticker('q'), 2::bigint, 'the next id');
select clock_timestamp() as after, pg_current_snapshot() as snap_after \gset
select pgtq.ticker('q'), pgtq.ticker('q');

select columns_are('pgtq', 'tick', array['tick_queue', 'tick_id', 'tick_time', 'tick_snapshot', 'tick_event_seq', 'tick_horizon']);
select ok(tick_time between :'before' and :'after', 'tick_time') from pgtq.tick where tick_id = 2;
select ok(tick_horizon between :'before' and :'after', 'tick_horizon') from pgtq.tick where tick_id = 2;
select is(tick_event_seq, 5::bigint, 'tick_event_seq') from pgtq.tick where tick_id = 2;
select is(tick_queue, (select queue_id from pgtq.queue), 'tick_queue') from pgtq.tick where tick_id = 2;
select ok(pg_snapshot_xmax(tick_snapshot) >= pg_snapshot_xmax(:'snap_before')
          and pg_snapshot_xmax(tick_snapshot) <= pg_snapshot_xmax(:'snap_after'), 'tick_snapshot')
  from pgtq.tick where tick_id = 2;
select ok((select bool_and(pg_visible_in_snapshot(ev_txid, tick_snapshot)) from pgtq.event_template), 'it sees the events')
  from pgtq.tick where tick_id = 2;
select ok(not (select bool_or(pg_visible_in_snapshot(ev_txid, tick_snapshot)) from pgtq.event_template), 'the first does not')
  from pgtq.tick where tick_id = 1;
select is((select array_agg(tick_id order by tick_time) from pgtq.tick), array[1, 2, 3, 4]::bigint[], 'times rise with ids');
select is((select array_agg(tick_id order by tick_horizon) from pgtq.tick), array[1, 2, 3, 4]::bigint[], 'horizons rise with ids');
select is((select count(distinct tick_horizon) from pgtq.tick), 4::bigint, 'strictly');
select is((select array_agg(tick_id order by pg_snapshot_xmax(tick_snapshot)) from pgtq.tick), array[1, 2, 3, 4]::bigint[], 'snapshots rise with ids');
select col_not_null('pgtq', 'tick', 'tick_horizon', 'a tick always has a horizon');
select is(pgtq.seq_getval(queue_tick_seq), 4::bigint, 'the sequence of ticks') from pgtq.queue;

-- rolled back
begin;
select pgtq.ticker('q');
rollback;
select is((select max(tick_id) from pgtq.tick), 4::bigint, 'a tick that is rolled back is none');
select is(pgtq.ticker('q'), 6::bigint, 'its id is used up');

-- an event and a tick in one transaction: it is delivered, once
select pgtq.register_consumer('q', 'c');
begin;
select pgtq.insert_event('q', 't', 'before the tick');
select pgtq.ticker('q');
select pgtq.insert_event('q', 't', 'after the tick');
commit;
select pgtq.ticker('q');
select is(drain('q', 'c'), array['before the tick', 'after the tick'], 'events and a tick in one transaction');

-- under REPEATABLE READ and SERIALIZABLE
begin isolation level repeatable read;
select pgtq.insert_event('q', 't', 'rr');
select pgtq.ticker('q') is not null as ticked \gset
commit;
select ok(:'ticked', 'a tick under REPEATABLE READ, with the newest snapshot');
begin isolation level serializable;
select pgtq.insert_event('q', 't', 'ser');
commit;
select pgtq.ticker('q');
select is(drain('q', 'c'), array['rr', 'ser'], 'events under REPEATABLE READ and SERIALIZABLE');

-- a snapshot from the future, as in a database that was restored into another server
begin;
update pgtq.tick set tick_snapshot = '9000000000:9000000000:' where tick_id = (select max(tick_id) from pgtq.tick);
select error_of($$select pgtq.ticker('q')$$) as error \gset
rollback;
select is((:'error'::text[])[1], 'XX001', 'a snapshot from the future is refused');

-- ticker(): all queues
select pgtq.create_queue('idle'), pgtq.create_queue('paused'), pgtq.create_queue('external'), pgtq.create_queue('busy');
select pgtq.ticker(q) from unnest(array['idle', 'busy']) q;
select pgtq.set_queue_config('paused', 'ticker_paused', 'true');
select pgtq.set_queue_config('external', 'external_ticker', 'true');
select always_tick('busy');
select pgtq.set_queue_config('idle', 'ticker_max_lag', '1 hour');
create view ticks as
    select queue_name, (select count(*) from pgtq.tick where tick_queue = queue_id) as n from pgtq.queue;
create temp table ticks_before as select * from ticks;
select is(pgtq.ticker(), 2::bigint, 'ticker() tells how many were ticked');
select results_eq($$select queue_name, a.n - b.n from ticks a join ticks_before b using (queue_name) order by 1$$,
                  $$values ('busy', 1::bigint), ('external', 0), ('idle', 0), ('paused', 0), ('q', 1)$$,
                  'ticker() ticks those that need it');
select pgtq.set_queue_config(queue_name, 'ticker_paused', 'true') from pgtq.queue;
select is(pgtq.ticker(), 0::bigint, 'ticker() of paused queues only');
select * from finish();
