-- schedule_at, schedule_in, insert_event_at, insert_event_in: what is stored, and what is refused.
\ir ../common.psql
select plan(67);

-- a fresh install has no queue; the first timer makes "timers"
select is((select count(*) from pgtq.queue), 0::bigint, 'no queue');
select pgtq.schedule_in('1 hour', 'select 1') as id \gset
select is(:id, 1, 'ids start at 1');
select results_eq('select queue_name, queue_executor is not null from pgtq.queue', $$values ('timers'::text, true)$$, 'the queue timers, with an executor');
select is((select count(*) from pgtq.subscription join pgtq.consumer on co_id = sub_consumer where co_name = 'pgtq.executor'), 1::bigint, 'it is a consumer');

-- what is stored
select results_eq($$select id, queue, shard_key, key, action, status, state, timeout_ms, attempts, error from pgtq.timers$$,
                  $$values (1::bigint, 'timers'::text, 0::bigint, null::text, 'select 1'::text, 0::smallint, 'pending'::text, 0, 0, null::text)$$, 'the timer');
select is((select scheduled_by from pgtq.timers), current_user, 'of this role');
select ok((select fire_at between clock_timestamp() + interval '59 minutes' and clock_timestamp() + interval '61 minutes' from pgtq.timers), 'in an hour');
select is(pgtq.schedule_at('2100-01-01 00:00:00.123456+00', 'select 2', 7, 500), 2::bigint, 'positional arguments');
select results_eq('select fire_at, shard_key, timeout_ms from pgtq.timers where id = 2', $$values ('2100-01-01 00:00:00.123456+00'::timestamptz, 7::bigint, 500)$$, 'all four');
select is(pgtq.schedule_at(fire_at => '2100-01-01', action => 'select 3', max_attempts => 5, backoff => '10 s', expires_in => '1 h'), 3::bigint, 'by name');
select results_eq('select ev_attempts, ev_backoff, ev_expires from pgtq.delay where ev_timer = 3', $$values (5, interval '10 s', '2100-01-01 01:00'::timestamptz)$$, 'attempts, backoff, expiry');
select results_eq('select ev_attempts, ev_backoff, ev_expires, ev_timeout, ev_shard from pgtq.delay where ev_timer = 1',
                  'values (1, null::interval, null::timestamptz, null::integer, null::bigint)', 'defaults are not stored');

-- schedule_in counts from the call, not from the start of the transaction
begin;
select pg_sleep(0.05);
select pgtq.schedule_in('0', 'select 4') as id \gset
select fire_at >= now() + interval '50 milliseconds' as later from pgtq.timers where id = :id \gset
rollback;
select ok(:'later', 'counts from the call');
select is((select count(*) from pgtq.timers), 3::bigint, 'what is rolled back is not there');
begin;
savepoint a;
select pgtq.schedule_in('1 h', 'select 5');
rollback to a;
select pgtq.schedule_in('1 h', 'select 6');
commit;
select results_eq('select action from pgtq.timers order by id', $$values ('select 1'), ('select 2'), ('select 3'), ('select 6')$$, 'a subtransaction that is rolled back');

-- a time that has passed is fine: it is due at once
select lives_ok($$select pgtq.schedule_in('-1 hour', 'select 7')$$, 'a negative delay');
select lives_ok($$select pgtq.schedule_at('1999-01-01', 'select 8')$$, 'a time in the past');
select ok((select count(*) = 2 from pgtq.timers where fire_at < now()), 'both are due');

-- other queues need an executor
select pgtq.create_queue('q');
select is(error_of($$select pgtq.schedule_in('1 s', 'x', queue => 'q')$$),
          array['55000', 'queue "q" has no executor', '', 'Use the queue "timers", or attach_executor(''q''); for events without an action there is insert_event_at().'], 'no executor');
select is(pgtq.attach_executor('q'), 1, 'attached');
select is(pgtq.attach_executor('q'), 0, 'once');
select lives_ok($$select pgtq.schedule_in('1 h', 'x', queue => 'q')$$, 'now it has one');
select is(error_of($$select pgtq.detach_executor('q')$$), array['55006', 'queue "q" has pending timers', '', 'Cancel them, or use drop_queue(queue, true).'], 'not while there are timers');
select is((select pgtq.cancel(id) from pgtq.timers where queue = 'q'), true, 'cancelled');
select is(pgtq.detach_executor('q'), 1, 'detached');
select is(pgtq.detach_executor('q'), 0, 'once');
select is(error_of($$select pgtq.attach_executor('nope')$$), array['42704', 'No such queue', 'Queue: nope', 'Queues are made with create_queue().'], 'attach: unknown queue');
select is((error_of($$select pgtq.detach_executor('nope')$$))[2], 'No such queue', 'detach: unknown queue');
select is((error_of($$select pgtq.register_consumer('timers', 'pgtq.executor')$$))[1:2], array['42939', 'consumer "pgtq.executor" is reserved'], 'nobody else is the executor');
select is((error_of($$select pgtq.unregister_consumer('timers', 'pgtq.executor')$$))[1:2], array['42939', 'consumer "pgtq.executor" is reserved'], 'nor ends it');

-- events
select pgtq.insert_event_at('q', '2100-01-01', 'type', 'data', 'e1', 'e2', 'e3', 'e4') as id \gset
select results_eq(format('select ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4, ev_attempts from pgtq.delay where ev_timer = %s', :id),
                  $$values ('type'::text, 'data'::text, 'e1'::text, 'e2'::text, 'e3'::text, 'e4'::text, null::integer)$$, 'insert_event_at');
select results_eq(format('select queue, action, state from pgtq.timers where id = %s', :id), $$values ('q'::text, null::text, 'pending'::text)$$, 'an event has no action');
select pgtq.insert_event_in('q', '1 h', null, null) as id \gset
select results_eq(format('select ev_type, ev_data, ev_extra1 from pgtq.delay where ev_timer = %s', :id), 'values (null::text, null::text, null::text)', 'nulls are fine');
select is((error_of($$select pgtq.insert_event_in('nope', '1 h', 't', 'd')$$))[2:4], array['No such queue', 'Queue: nope', 'Queues are made with create_queue().'], 'insert_event_in: unknown queue');
select is((error_of($$select pgtq.insert_event_at('timers2', now(), 't', 'd')$$))[2], 'No such queue', 'insert_event_at: unknown queue');
select is((error_of($$select pgtq.insert_event_at('q', null, 't', 'd')$$))[1:2], array['22004', 'the time of a timer must not be NULL'], 'insert_event_at: no time');
select is((error_of($$select pgtq.insert_event_in('q', null, 't', 'd')$$))[1:2], array['22004', 'the time of a timer must not be NULL'], 'insert_event_in: no delay');
select is((error_of($$select pgtq.insert_event_at(null, now(), 't', 'd')$$))[1:2], array['22004', 'Queue name must not be NULL'], 'insert_event_at: no queue');

-- bad input: a clear error each
create table bad (command text, state text, message text, hint text);
insert into bad values
    ($$pgtq.schedule_in('1 s', null)$$, '22004', 'the action of a timer must not be NULL', 'An action is SQL, such as: update t set x = 1'),
    ($$pgtq.schedule_in('1 s', '')$$, '22023', 'the action of a timer must not be empty', 'An action is SQL, such as: update t set x = 1'),
    ($$pgtq.schedule_in('1 s', E' \t\r\n')$$, '22023', 'the action of a timer must not be empty', 'An action is SQL, such as: update t set x = 1'),
    ($$pgtq.schedule_in('1 s', repeat('x', 1048577))$$, '54000', 'the action of a timer is too long: 1048577 bytes', 'Put the data into a table, or the code into a function.'),
    ($$pgtq.schedule_at(null, 'x')$$, '22004', 'the time of a timer must not be NULL', ''),
    ($$pgtq.schedule_in(null, 'x')$$, '22004', 'the time of a timer must not be NULL', ''),
    ($$pgtq.schedule_at('infinity', 'x')$$, '22023', 'the time of a timer must be finite', 'To keep something from ever running, do not schedule it.'),
    ($$pgtq.schedule_at('-infinity', 'x')$$, '22023', 'the time of a timer must be finite', 'To keep something from ever running, do not schedule it.'),
    ($$pgtq.schedule_in('1000000 years', 'x')$$, '22008', 'timestamp out of range', ''),
    ($$pgtq.schedule_in('1 s', 'x', timeout_ms => -1)$$, '22023', 'timeout_ms must not be negative', '0 means pgtq.action_timeout.'),
    ($$pgtq.schedule_in('1 s', 'x', max_attempts => 0)$$, '22023', 'max_attempts must be at least 1', ''),
    ($$pgtq.schedule_in('1 s', 'x', max_attempts => -1)$$, '22023', 'max_attempts must be at least 1', ''),
    ($$pgtq.schedule_in('1 s', 'x', backoff => '-1 s')$$, '22023', 'backoff must not be negative', ''),
    ($$pgtq.schedule_in('1 s', 'x', expires_in => '0')$$, '22023', 'expires_in must be positive', ''),
    ($$pgtq.schedule_in('1 s', 'x', queue => null)$$, '22004', 'Queue name must not be NULL', ''),
    ($$pgtq.schedule_in('1 s', 'x', queue => 'nope')$$, '42704', 'No such queue', 'Queues are made with create_queue().'),
    ($$pgtq.schedule_in('1 s', 'x', on_conflict => 'ignore')$$, '22023', 'invalid on_conflict: "ignore"', 'Valid are "keep", "replace" and "update".'),
    ($$pgtq.schedule_in('1 s', 'x', on_conflict => null)$$, '22023', 'invalid on_conflict: NULL', 'Valid are "keep", "replace" and "update".'),
    ($$pgtq.schedule_in('1 s', 'x', key => '')$$, '22023', 'the key of a timer must have 1 to 255 characters', ''),
    ($$pgtq.schedule_in('1 s', 'x', key => repeat('k', 256))$$, '22023', 'the key of a timer must have 1 to 255 characters', ''),
    ($$pgtq.schedule_in('1 s', 'x', on_conflict => 'replace')$$, '22023', 'on_conflict needs a key', 'It says what to do if a timer with the same key is pending; give it one, as in key => ''cart 7''.'),
    ($$pgtq.schedule_in('1 s', 'x', max_delay => '1 s')$$, '22023', 'max_delay needs a key and on_conflict => ''replace''', ''),
    ($$pgtq.schedule_in('1 s', 'x', key => 'k', max_delay => '1 s')$$, '22023', 'max_delay needs a key and on_conflict => ''replace''', ''),
    ($$pgtq.schedule_in('1 s', 'x', key => 'k', on_conflict => 'replace', max_delay => '-1 s')$$, '22023', 'max_delay must not be negative', '');
create table before as select count(*) as n from pgtq.delay;
select is((error_of('select ' || command))[1:2] || (error_of('select ' || command))[4], array[state, message, hint], command) from bad;
select is((select count(*) from pgtq.delay), (select n from before), 'nothing of this was stored');
select lives_ok($$select pgtq.schedule_in('1 h', repeat('x', 1048576))$$, 'the longest action');
select lives_ok($$select pgtq.schedule_in('1 h', 'x', key => repeat('ä', 255))$$, 'the longest key, in characters');
begin transaction read only;
select error_of($$select pgtq.schedule_in('1 s', 'x')$$) as error \gset
rollback;
select is((:'error'::text[])[1], '25006', 'a read-only transaction');
select pgtq.set_queue_config('timers', 'disable_insert', 'true');
select is((error_of($$select pgtq.schedule_in('1 s', 'x')$$))[1:2], array['55000', 'Insert into queue disallowed'], 'a queue that takes nothing');
select * from finish();
