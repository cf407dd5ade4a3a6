-- Timers belong to who scheduled them: nobody can act, or schedule, as somebody else.
\ir ../common.psql
\ir ../roles/setup.psql
\set other :DBNAME '_other'
create role :other in role pgtq_writer;
grant create on schema public to :other;
select plan(35);

set role :producer;
select pgtq.schedule_in('1 h', 'select 1') as id, pgtq.schedule_in('1 h', 'select 2', key => 'k') as keyed \gset
select is((select scheduled_by::text from pgtq.timers where id = :id), :'producer', 'the calling role');
select is((select count(*) from pgtq.timers), 2::bigint, 'he sees his timers');
reset role;
select is((select scheduled_by::text from pgtq.timers where id = :id), :'producer', 'a superuser sees them');
set role :boss;
select is((select count(*) from pgtq.timers), 2::bigint, 'pgtq_admin sees them');
set role :other;
select is((select count(*) from pgtq.timers), 0::bigint, 'another role does not');
select is((error_of(format('select pgtq.cancel(%s)', :id)))[1:2], array['42501', format('permission denied for timer %s', :id)], 'nor cancels them');
select is((error_of(format('select pgtq.cancel_many(array[%s])', :id)))[1], '42501', 'nor many');
select is((error_of(format('select pgtq.reschedule(%s, now())', :id)))[1], '42501', 'nor moves them');
select is((error_of(format('select pgtq.fire(%s)', :id)))[1], '42501', 'nor fires them');
select is((error_of($$select pgtq.cancel_key('k')$$))[1], '42501', 'nor by key');
select is((error_of($$select pgtq.schedule_in('0', 'x', key => 'k', on_conflict => 'replace')$$))[1], '42501', 'nor replaces them');
select is((error_of($$select pgtq.schedule_in('0', 'x', key => 'k', on_conflict => 'update')$$))[1], '42501', 'nor their action');
select is(pgtq.schedule_in('0', 'x', key => 'k'), null, 'a key is taken');
select is(pgtq.fire_all_pending(), 0, 'fire_all_pending runs only one''s own');

-- forging
select is((error_of(format($$insert into pgtq.request (op, role, at, queue, is_action, ev_data, on_conflict) values ('schedule', %s, now() + '1 h', 'timers', true, 'forged', 'keep')$$, 10)))[1], null, 'a request may say who it is from');
select is((error_of(format($$insert into pgtq.plain_request (role, timer, at, queue, action) values (%s, -7, now() + '1 h', 'timers', 'forged plainly')$$, 10)))[1], null, 'so may one without options');
select is((error_of($$insert into pgtq.plain_request (at, queue, action) values (now(), 'timers', ' ')$$))[1:2], array['22023', 'the action of a timer must not be empty'], 'what is wrong is refused');
reset role;
select is((select scheduled_by::text from pgtq.timers where action = 'forged'), :'other', 'but is from who makes it');
select is((select scheduled_by::text || (id > 0) from pgtq.timers where action = 'forged plainly'), :'other' || 'true', 'and so is that, with an id of ours');

-- in a table of the store that not every store has
select pgtq._create_generation() as added \gset
select setval('pgtq.delay_cur_seq', :added);
set role :other;
select pgtq.schedule_in('1 h', 'plain'), pgtq.schedule_in('1 h', 'not plain', max_attempts => 2);
reset role;
select is((select count(*) from pgtq.delay where tableoid = ('pgtq.delay_' || :added)::regclass), 2::bigint, 'timers without options and with go there');
select setval('pgtq.delay_cur_seq', 0);
set role :other;
select is((error_of('insert into pgtq.delay_0 (dl_queue, dl_due) values (1, now())'))[1], '42501', 'no writing to the store');
select is((error_of('update pgtq.delay set ev_role = 10'))[1], '42501', 'no changing');
select is((error_of('select * from pgtq.delay'))[1], '42501', 'no reading');
select is((error_of('select * from pgtq.history'))[1], '42501', 'nor the history');
select is((error_of($$select pgtq._schedule(10, 'timers', now(), true, 'timer', 'x', null, null, null, null, 0, 0, 1, '1 s', null, null, 'keep', null)$$))[1], '42501', 'internal functions are not his');
select is((error_of('select * from pgtq._move_due(1)'))[1], '42501', 'nor is the mover');
set role :boss;
select is((error_of('insert into pgtq.event_1_0 (ev_id, ev_time, ev_role, ev_attempts, ev_data) values (1, now(), 10, 1, $$drop$$)'))[1], '42501', 'pgtq_admin cannot write actions into the event tables');
select is((error_of('insert into pgtq.event_1_0 (ev_id, ev_time, ev_data) values (1, now(), $$event$$)')), null, 'but events');

-- inside of a SECURITY DEFINER function the caller is its owner
reset role;
create function public.schedule_as_owner() returns bigint as $$ select pgtq.schedule_in('1 h', 'as owner') $$ language sql security definer;
alter function public.schedule_as_owner() owner to :other;
set role :producer;
select public.schedule_as_owner() as id2 \gset
reset role;
select is((select scheduled_by::text from pgtq.timers where action = 'as owner'), :'other', 'SECURITY DEFINER: its owner');

-- pgtq_admin may cancel and move, not run
set role :boss;
select is((error_of(format('select pgtq.fire(%s)', :id)))[1], '42501', 'pgtq_admin fires nobody''s timers');
select is(pgtq.reschedule(:id, now() + interval '2 h'), true, 'but may move them');
reset role;
select is((select scheduled_by::text from pgtq.timers where id = :id), :'producer', 'which does not change the owner');
set role :boss;
select is(pgtq.cancel(:id), true, 'and cancel them');
reset role;
select is((select count(*) from pgtq.role), 2::bigint, 'the roles that have scheduled are noted');

-- a role that is gone: its timers keep its name, and a namesake does not get them
select pgtq.cancel(:id2);
drop owned by :other;
drop role :other;
create role :other in role pgtq_writer;
set role :other;
select is((select count(*) from pgtq.timers), 0::bigint, 'a new role of the same name');
reset role;
drop role :other;
select * from finish();
\ir ../roles/teardown.psql
