-- get_consumer_info(), and the view subscription.
select plan(22);
\ir ../common.psql
select pgtq.create_queue('a'), pgtq.create_queue('b'), always_tick('a'), always_tick('b');
select is((select count(*) from pgtq.get_consumer_info()), 0::bigint, 'no consumers');
select pgtq.register_consumer('a', 'y'), pgtq.register_consumer('a', 'x'), pgtq.register_consumer('b', 'x');
create function named(i_sql text) returns text[] as $$
declare
    _names text[];
begin
    execute format('select array_agg(queue_name || $1 || consumer_name) from %s', i_sql) into _names using '/';
    return _names;
end;
$$ language plpgsql;
select is(named('pgtq.get_consumer_info()'), array['a/x', 'a/y', 'b/x'], 'all');
select is(named($$pgtq.get_consumer_info('a')$$), array['a/x', 'a/y'], 'of a queue');
select is(named($$pgtq.get_consumer_info('a', 'y')$$), array['a/y'], 'one');
select is(named($$pgtq.get_consumer_info(i_queue_name => null, i_consumer_name => 'x')$$), array['a/x', 'b/x'], 'one, of all queues');
select is(named($$pgtq.get_consumer_info('a', null)$$), array['a/x', 'a/y'], 'null consumer: all');
select is(named($$pgtq.get_consumer_info('none')$$), null, 'unknown queue');
select is(named($$pgtq.get_consumer_info('b', 'y')$$), null, 'not registered there');
select results_eq(format($$select n collate "default", t::regtype::text from pg_proc, unnest(proargnames, proallargtypes, proargmodes) u (n, t, m)
                     where oid = %L::regprocedure and m = 'o'$$, f),
    $$values ('queue_name', 'text'), ('consumer_name', 'text'), ('lag', 'interval'), ('last_seen', 'interval'), ('last_tick', 'bigint'),
             ('current_batch', 'bigint'), ('next_tick', 'bigint'), ('pending_events', 'bigint')$$, f)
  from unnest(array['pgtq.get_consumer_info()', 'pgtq.get_consumer_info(text)', 'pgtq.get_consumer_info(text, text)']) f;

select results_eq($$select last_tick, current_batch, next_tick, pending_events from pgtq.get_consumer_info('a', 'x')$$,
                  $$values (1::bigint, null::bigint, null::bigint, 0::bigint)$$, 'at the start');
select pgtq.insert_event('a', 't', 'd') from generate_series(1, 7);
select is((select pending_events from pgtq.get_consumer_info('a', 'x')), 0::bigint, 'events that are not ticked do not count');
select pgtq.ticker('a');
select is((select pending_events from pgtq.get_consumer_info('a', 'x')), 7::bigint, 'pending_events');
update pgtq.tick set tick_time = clock_timestamp() - case tick_id when 1 then interval '20 min' else interval '10 min' end;
select ok(lag between '20 min' and '21 min', 'lag is the age of its last tick') from pgtq.get_consumer_info('a', 'x');
update pgtq.position_0 set pos_time = clock_timestamp() - interval '1 hour';
select ok(last_seen between '1 hour' and '61 min', 'last_seen') from pgtq.get_consumer_info('a', 'x');

select pgtq.next_batch('a', 'x') as batch \gset
select results_eq($$select last_tick, current_batch, next_tick, pending_events from pgtq.get_consumer_info('a', 'x')$$,
                  format('values (1::bigint, %s::bigint, 2::bigint, 7::bigint)', :batch), 'with an open batch');
select ok(last_seen < '1 min', 'last_seen: opening a batch') from pgtq.get_consumer_info('a', 'x');
select results_eq($$select last_tick, current_batch from pgtq.get_consumer_info('a', 'y')$$, 'values (1::bigint, null::bigint)', 'another consumer');
select pgtq.finish_batch(:batch);
select results_eq($$select last_tick, current_batch, next_tick, pending_events from pgtq.get_consumer_info('a', 'x')$$,
                  $$values (2::bigint, null::bigint, null::bigint, 0::bigint)$$, 'finished');
select ok(lag between '10 min' and '11 min', 'lag after it') from pgtq.get_consumer_info('a', 'x');

-- PgQ's table of subscriptions, as a view
select results_eq($$select queue_name, co_name, sub_last_tick, sub_batch, sub_next_tick from pgtq.subscription
                      join pgtq.queue on queue_id = sub_queue join pgtq.consumer on co_id = sub_consumer order by 1, 2$$,
                  $$select queue_name, consumer_name, last_tick, current_batch, next_tick from pgtq.get_consumer_info()$$, 'the view subscription says the same');
select * from finish();
