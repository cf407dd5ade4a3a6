-- event_retry(): an event comes again, with the same id, for its consumer alone.
select plan(37);
\ir ../common.psql
-- like drain(), but id:retry count
create function retries(i_queue text, i_consumer text) returns text[] as $$
declare
    _batch  bigint;
    _all    text[] := '{}';
begin
    loop
        _batch := pgtq.next_batch(i_queue, i_consumer);
        exit when _batch is null;
        _all := _all || array(select ev_id || ':' || coalesce(ev_retry::text, 'null') from pgtq.get_batch_events(_batch));
        perform pgtq.finish_batch(_batch);
    end loop;
    return _all;
end;
$$ language plpgsql;
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c'), pgtq.register_consumer('q', 'd');
select pgtq.insert_event('q', 'type' || n, 'data' || n, 'a', 'b', 'c', 'd') from generate_series(1, 3) n;
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset

-- errors
select throws_ok('select pgtq.event_retry(999, 1, 0)', '42704', 'batch not found', 'unknown batch');
select throws_ok('select pgtq.event_retry(999, 1, now())', '42704', 'batch not found', 'unknown batch, a time');
select throws_ok('select pgtq.event_retry(null, 1, 0)', '42704', 'batch not found', 'null batch');
select throws_ok(format('select pgtq.event_retry(%s, 4, 0)', :batch), '42704', 'event not found', 'unknown event');
select throws_ok(format('select pgtq.event_retry(%s, 4, now())', :batch), '42704', 'event not found', 'unknown event, a time');
select throws_ok(format('select pgtq.event_retry(%s, null, 0)', :batch), '42704', 'event not found', 'null event');
select is((error_of(format('select pgtq.event_retry(%s, 4, 0)', :batch)))[3], format('Batch: %s, event: 4', :batch), 'the detail');
select is((select count(*) from pgtq.retry_queue), 0::bigint, 'nothing is queued');

-- what is queued
select clock_timestamp() as before \gset
select is(pgtq.event_retry(x_batch_id => :batch, x_event_id => 2, x_retry_seconds => 3600), 1, 'by seconds');
select is(pgtq.event_retry(x_batch_id => :batch, x_event_id => 3, x_retry_time => '2001-02-03 04:05:06+00'), 1, 'by time');
select is(pgtq.event_retry(:batch, 2, 0), 0, 'it is queued already');
select is(pgtq.event_retry(:batch, 3, now()), 0, 'it is queued already, a time');
select is((select count(*) from pgtq.retry_queue), 2::bigint, 'two are queued');
select results_eq(
    $$select ev_id, ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4 from pgtq.retry_queue order by ev_id$$,
    $$values (2::bigint, 1, 'type2', 'data2', 'a', 'b', 'c', 'd'), (3, 1, 'type3', 'data3', 'a', 'b', 'c', 'd')$$, 'with all fields');
select is(ev_time, (select ev_time from pgtq.get_batch_events(:batch) where ev_id = 2), 'ev_time is that of the event') from pgtq.retry_queue where ev_id = 2;
select is(ev_owner, (select sub_id from pgtq.subscriber join pgtq.consumer on co_id = sub_consumer where co_name = 'c'), 'the owner is the consumer''s registration') from pgtq.retry_queue where ev_id = 2;
select ok(ev_retry_after between :'before'::timestamptz + interval '1 hour' and clock_timestamp() + interval '1 hour', 'after the seconds') from pgtq.retry_queue where ev_id = 2;
select is(ev_retry_after, timestamptz '2001-02-03 04:05:06+00', 'at the time') from pgtq.retry_queue where ev_id = 3;

-- it comes again
select is(pgtq.finish_batch(:batch), 1, 'the batch is finished');
select throws_ok(format('select pgtq.event_retry(%s, 1, 0)', :batch), '42704', 'batch not found', 'then it is too late');
select is(drain('q', 'd'), array['data1', 'data2', 'data3'], 'the other consumer reads its own batch');
select pgtq.ticker('q');        -- puts it back
select is((select array_agg(ev_id) from pgtq.retry_queue), array[2::bigint], 'what is due has left the retry queue');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as empty \gset
select is(datas(:empty), '{}', 'the tick that puts it back has it not');
select pgtq.finish_batch(:empty);
select pgtq.next_batch('q', 'c') as batch \gset
select results_eq(format('select ev_id, ev_retry, ev_type, ev_data, ev_extra1, ev_extra4 from pgtq.get_batch_events(%s)', :batch),
                  $$values (3::bigint, 1, 'type3', 'data3', 'a', 'd')$$, 'it comes again, with its id and a retry count');
select is(drain('q', 'd'), '{}', 'for its consumer alone');

-- once more: the count goes up
select is(pgtq.event_retry(:batch, 3, 0), 1, 'retried again');
select is((select ev_retry from pgtq.retry_queue where ev_id = 3), 2, 'the count goes up');
select pgtq.finish_batch(:batch);
select pgtq.ticker('q'), pgtq.ticker('q');
select pgtq.ticker('q');
select is(retries('q', 'c'), array['3:2'], 'it comes a third time');
select is(retries('q', 'd'), '{}', 'still for its consumer alone');
select is((select array_agg(ev_id) from pgtq.retry_queue), array[2::bigint], 'what is not due waits');

-- made due, it comes through maint_retry_events, too
update pgtq.retry_queue set ev_retry_after = now();
select is(pgtq.maint_retry_events(), 1, 'maint_retry_events: how many');
select is(pgtq.maint_retry_events(), 0, 'maint_retry_events: no more');
select pgtq.ticker('q');
select is(retries('q', 'c'), array['2:1'], 'it comes');

-- an event of another batch, or of another consumer's retry, is not in this one
select retries('q', 'd');
select pgtq.insert_event('q', 't', 'new') as new \gset
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select throws_ok(format('select pgtq.event_retry(%s, 1, 0)', :batch), '42704', 'event not found', 'an event of an earlier batch');
select pgtq.next_batch('q', 'd') as batch_d \gset
select is(pgtq.event_retry(:batch, :new, 7200), 1, 'c retries an event');
select is(pgtq.event_retry(:batch_d, :new, 7200), 1, 'd retries the same');
select is((select count(*) from pgtq.retry_queue where ev_data = 'new'), 2::bigint, 'each has its own');
select * from finish();
