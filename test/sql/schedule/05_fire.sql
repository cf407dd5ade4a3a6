-- fire and fire_all_pending run timers now, and the test clock moves the time.
\ir ../common.psql
select plan(26);
create table log (who text, what text);
select pgtq.schedule_in('1 day', $$insert into log values (current_user, 'one')$$) as id \gset
select is(pgtq.fire(:id), 'fired', 'fired');
select results_eq('select what from log', $$values ('one'::text)$$, 'it ran');
select is(pgtq.fire(:id), null, 'once');
select is(pgtq.fire(1000), null, 'one that never was');
select is(pgtq.fire(null), null, 'null');
select is(pgtq.cancel(:id), false, 'it ran, so it cannot be cancelled');
select results_eq(format('select status, state, attempts, error, fired_at is not null, finished_at >= fired_at from pgtq.timers where id = %s', :id),
                  $$values (1::smallint, 'fired'::text, 1, null::text, true, true)$$, 'history');

-- several statements; in the caller's transaction
select pgtq.schedule_in('1 day', $$insert into log values ('', 'two'); insert into log values ('', 'three')$$) as id \gset
begin;
select pgtq.fire(:id);
rollback;
select is((select state from pgtq.timers where id = :id), 'pending', 'rolled back with the caller');
select is(pgtq.fire(:id), 'fired', 'fired again');
select is((select count(*) from log), 3::bigint, 'both statements');

-- a failing action undoes itself only
select pgtq.schedule_in('1 day', $$insert into log values ('', 'four'); select 1/0$$) as id \gset
begin;
insert into log values ('', 'mine');
select is(pgtq.fire(:id), 'failed', 'failed');
commit;
select results_eq($$select what from log where what in ('four', 'mine')$$, $$values ('mine'::text)$$, 'undone alone');
select results_eq(format('select status, state, error, sqlstate, action from pgtq.timers where id = %s', :id),
                  $$values (2::smallint, 'failed'::text, 'division by zero'::text, '22012'::text, $a$insert into log values ('', 'four'); select 1/0$a$::text)$$, 'history');
create table once (x integer primary key deferrable initially deferred);
insert into once values (1);
select pgtq.schedule_in('1 day', 'insert into once values (1)') as id \gset
select is(pgtq.fire(:id), 'failed', 'a deferred constraint is checked');
select is((select sqlstate from pgtq.timers where id = :id), '23505', 'and told');
select pgtq.create_queue('q');
select pgtq.insert_event_in('q', '1 h', 't', 'd') as id \gset
select is((error_of(format('select pgtq.fire(%s)', :id)))[1:2], array['42809', format('timer %s has no action', :id)], 'an event cannot be fired');

-- all
truncate log;
select pgtq.schedule_at('2100-01-02', $$insert into log values ('', 'b')$$), pgtq.schedule_at('2100-01-01', $$insert into log values ('', 'a')$$), pgtq.schedule_at('2100-01-03', 'nonsense');
select is(pgtq.fire_all_pending('timers'), 3, 'three were run');
select is((select array_agg(what) from log), array['a', 'b'], 'in the order of their times');
select is(pgtq.fire_all_pending(), 0, 'and none is left');
select is(pgtq.fire_all_pending('q'), 0, 'events are not for running');

-- the test clock
set pgtq.clock_offset = '1 day';
select ok((select pgtq._now() - clock_timestamp() between interval '23:59:00' and interval '24:01:00'), 'a day ahead');
reset pgtq.clock_offset;
select pgtq.schedule_in('1 day', 'tomorrow') as id \gset
select is((select moved from pgtq._move_due(10)), 0, 'tomorrow has not come');
set pgtq.clock_offset = '1 day 1 minute';
select is((select moved from pgtq._move_due(10)), 2, 'now it has, and the event in an hour is due, too');
select pgtq.schedule_in('0', 'after tomorrow') as id \gset
reset pgtq.clock_offset;
select is((select moved from pgtq._move_due(10)), 0, 'the time has gone back: nothing is early');
select is((select state from pgtq.timers where id = :id), 'pending', 'and nothing is lost');
set pgtq.clock_offset = '2 days';
select is((select moved from pgtq._move_due(10)), 1, 'it comes when it is due');
select * from finish();
