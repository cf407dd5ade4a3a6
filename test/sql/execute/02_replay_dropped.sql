-- A dead letter of a queue that was dropped, or that takes nothing, is not replayed; what is left in the store of a queue
-- that has gone keeps no other from being moved.
begin;
select plan(5);
\ir ../common.psql
select pgtq.create_queue('gone'), pgtq.attach_executor('gone'), pgtq.create_queue('here');
select pgtq.schedule_in('1 hour', 'select 1/0', queue => 'gone') as a \gset
select pgtq.schedule_in('1 hour', 'select 1/0', queue => 'gone') as b \gset
select is(pgtq.fire_all_pending('gone'), 2, 'two dead letters');
select pgtq.set_queue_config('gone', 'disable_insert', 'true');
select throws_ok(format('select pgtq.replay(%s)', :a), '55000', 'Insert into queue disallowed', 'a queue that takes nothing');
select pgtq.drop_queue('gone', true);
select throws_ok(format('select pgtq.replay(%s)', :a), '42704', format('the queue of timer %s was dropped', :a), 'one that was dropped');

-- as when a transaction schedules while the queue is dropped
select pgtq.insert_event_in('here', '-1 s', 't', 'd');
select pgtq._current_table('pgtq.delay') as store \gset
insert into :store (ev_timer, ev_role, ev_type, ev_data, ev_attempts, dl_queue, dl_due)
    values (999, current_user::regrole, 'timer', 'select 1', 1, 999, now() - interval '1 s');
select lives_ok('select pgtq.ticker()', 'what has no queue is left');
select is((select count(*) from pgtq.event_template where ev_data = 'd'), 1::bigint, 'and the rest is moved');
select * from finish();
rollback;
