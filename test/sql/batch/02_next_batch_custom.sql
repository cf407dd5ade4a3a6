-- next_batch_custom(): min_lag, min_count, min_interval.
select plan(17);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q');
select pgtq.register_consumer('q', c) from unnest(array['lag', 'count', 'interval', 'both']) c;
-- five ticks of 3 events
do $$
begin
    for _i in 1 .. 5 loop
        perform pgtq.insert_event('q', 't', _i || '.' || n) from generate_series(1, 3) n;
        commit;
        perform pgtq.ticker('q');
        commit;
    end loop;
end
$$;
-- they are a minute apart, the last was a minute ago
update pgtq.tick set tick_time = clock_timestamp() - (7 - tick_id) * interval '1 min';
create function batch_of(i_consumer text, i_lag interval, i_count integer, i_interval interval) returns bigint as $$
    select batch_id from pgtq.next_batch_custom('q', i_consumer, i_lag, i_count, i_interval);
$$ language sql;

-- min_lag
select is(batch_of('lag', '1 hour', null, null), null, 'min_lag: no events that old');
select is((select current_batch from pgtq.get_consumer_info('q', 'lag')), null, 'nothing was opened');
select batch_of('lag', '5 min', null, null) as batch \gset
select is(datas(:batch), array['1.1', '1.2', '1.3'], 'min_lag: the oldest');
select pgtq.finish_batch(:batch);
select is(batch_of('lag', '5 min', null, null), null, 'min_lag: the next is younger');
select is(batch_of('lag', '0', null, null) > :batch, true, 'min_lag 0');
select results_eq($$select cur_tick_id, prev_tick_id from pgtq.next_batch_custom('q', 'lag', null, null, null)$$,
                  $$values (3::bigint, 2::bigint)$$, 'its ticks');

-- min_count
select is(batch_of('count', null, 16, null), null, 'min_count: not as many');
select batch_of('count', null, 4, null) as batch \gset
select is(cardinality(datas(:batch)), 6, 'min_count 4: two ticks');
select results_eq($$select cur_tick_id, prev_tick_id, cur_tick_event_seq, prev_tick_event_seq from pgtq.next_batch_custom('q', 'count', null, null, null)$$,
                  $$values (3::bigint, 1::bigint, 6::bigint, 0::bigint)$$, 'they are what is told');
select pgtq.finish_batch(:batch);
select batch_of('count', null, 5, null) as batch \gset
select is(datas(:batch), array['3.1', '3.2', '3.3', '4.1', '4.2', '4.3', '5.1', '5.2', '5.3'],
          'min_count 5 of 9: all, for it is not twice as much');
select pgtq.finish_batch(:batch);
select is(batch_of('count', null, 1, null), null, 'nothing left');

-- min_interval
select is(batch_of('interval', null, null, '6 min'), null, 'min_interval: not as long');
select batch_of('interval', null, null, '2 min') as batch \gset
select is(cardinality(datas(:batch)), 6, 'min_interval 2 min: two ticks');
select pgtq.finish_batch(:batch);
select batch_of('interval', null, null, '3 min') as batch \gset
select is(cardinality(datas(:batch)), 9, 'min_interval 3 min: three ticks');
select pgtq.finish_batch(:batch);

-- together
select is(batch_of('both', null, 100, '1 hour'), null, 'neither count nor interval');
select is(batch_of('both', '1 hour', 3, null), null, 'the count, but not the lag');
select batch_of('both', '1 s', 100, '1 min') as batch \gset
select is(datas(:batch), array['1.1', '1.2', '1.3'], 'the interval and the lag');
select * from finish();
