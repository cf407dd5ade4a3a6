-- What pg_cron can do, and its counterpart: docs/recurring.md has the table.
\ir ../common.psql
\ir ../roles/setup.psql
set timezone = 'UTC';
set client_min_messages = warning;
select plan(70);
create function the(i_column text, i_name text) returns text as $$
declare
    _value text;
begin
    execute format('select %I::text from pgtq.schedules where name = $1', i_column) into _value using i_name;
    return _value;
end;
$$ language plpgsql;

-- cron.schedule(job_name, schedule, command)
select pgtq.schedule_cron('nightly', '30 3 * * 6', 'select 1') as id \gset
select is(the('schedule', 'nightly') || ' ' || the('action', 'nightly') || ' ' || the('timezone', 'nightly'), '30 3 * * 6 select 1 UTC', 'cron.schedule: name, schedule, command');
select is(the('next_run', 'nightly')::timestamptz, (select at from pgtq.preview('30 3 * * 6', n => 1)), 'it runs when its expression says');
select is(pgtq.schedule_cron('nightly', '30 4 * * 6', 'select 1'), :id::bigint, 'cron.schedule again: the schedule is changed');
select is(the('schedule', 'nightly'), '30 4 * * 6', 'the same name, another time');
select pgtq.schedule_cron('seconds', '30 seconds', 'select 1');
select ok(the('next_run', 'seconds')::timestamptz - now() between '25 s' and '30 s', 'cron.schedule: n seconds');
select is((error_of($$select pgtq.schedule_cron('x', '0 seconds', 'select 1')$$))[1], '22023', 'none are refused, too');
select pgtq.schedule_cron('last', '0 12 $ * *', 'select 1');
select is(extract(day from the('next_run', 'last')::timestamptz + interval '1 day'), 1::numeric, 'cron.schedule: $ is the last day');
select is((error_of($$select pgtq.schedule_cron('x', '0 0 * *', 'select 1')$$))[1], '22023', 'cron.schedule: an invalid schedule is refused');

-- cron.schedule_in_database(job_name, schedule, command, database, username, active)
set role :producer;
select pgtq.schedule_cron('his', '@daily', 'select 1');
reset role;
select is(the('owner', 'his'), :'producer', 'username: who makes it, by SET ROLE');
select is(pgtq.pause('nightly') and the('state', 'nightly') = 'paused' and the('next_run', 'nightly') is null, true, 'active => false: paused');

-- cron.alter_job(job_id, schedule, command, database, username, active)
select pgtq.schedule_cron('nightly', '0 5 * * *', 'select 1');
select is(the('schedule', 'nightly') || ' ' || the('state', 'nightly'), '0 5 * * * paused', 'alter_job schedule: it stays paused');
select pgtq.schedule_cron('nightly', '0 5 * * *', 'select 2');
select is(the('action', 'nightly'), 'select 2', 'alter_job command');
select is(pgtq.resume('nightly') and the('state', 'nightly') = 'waiting', true, 'alter_job active');
select is((select action from pgtq.timers where schedule = 'nightly' and state = 'pending'), 'select 2', 'its next run is what it was changed to');
set role :boss;
select is(pgtq.pause('his', :'producer'), true, 'alter_job of another''s, for an admin');
select is((error_of($$select pgtq.pause('his')$$))[1:2], '{42704,"schedule \"his\" does not exist"}', 'names are those of a role');
select is(pgtq.resume('his', owner => :'producer'), true, 'and active again');
reset role;

-- cron.job, cron.job_run_details
select is((select array_agg(name order by name) from pgtq.schedules), '{his,last,nightly,seconds}', 'cron.job');
select pgtq.fire(the('next_timer', 'nightly')::bigint);
select is((select (name, state, error is null, fired_at is not null, finished_at >= fired_at, action, pid = pg_backend_pid(), owner = current_user)::text from pgtq.schedule_runs),
          '(nightly,fired,t,t,t,"select 2",t,t)', 'cron.job_run_details');
set role :producer;
select is((select count(*) from pgtq.schedule_runs), 0::bigint, 'another''s runs are not seen');
select is((select array_agg(name) from pgtq.schedules), '{his}', 'nor his schedules');

-- cron.unschedule(job_name), and by another role
reset role;
create role :"DBNAME" in role pgtq_writer;
set role :"DBNAME";
select is(pgtq.unschedule('his'), false, 'unschedule: another''s is not found');
select is((error_of(format('select pgtq.unschedule(%L, %L)', 'his', :'producer')))[1:2], array['42501', format('permission denied for schedules of role "%s"', :'producer')], 'nor ended');
select is((error_of(format('select pgtq.pause(%L, %L)', 'his', :'producer')))[1], '42501', 'nor paused');
select is((error_of(format('select pgtq.resume(%L, %L)', 'his', :'producer')))[1], '42501', 'nor resumed');
select is((error_of(format('select pgtq.run_now(%L, %L)', 'his', :'producer')))[1], '42501', 'nor run');
select pgtq.schedule_cron('his', '@daily', 'select 3');
reset role;
select is((select count(*) from pgtq.schedules where name = 'his'), 2::bigint, 'a namesake is another one');
select is(pgtq.unschedule('his', :'DBNAME') and pgtq.unschedule('his', :'producer'), true, 'an admin ends both');
select is(pgtq.unschedule('nightly') and the('state', 'nightly') is null, true, 'unschedule');

-- cron.schedule(schedule, command) without a name, cron.timezone, cron.alter_job(username), one at a time, VACUUM
select pgtq.schedule_cron('one', '0 4 * * *', 'select 1'), pgtq.schedule_cron('two', '0 4 * * *', 'select 1');
select is((select count(*) from pgtq.schedules where schedule = '0 4 * * *'), 2::bigint, 'without a name: the same twice has two');
select pgtq.schedule_cron('paris', '0 4 * * *', 'select 1', timezone => 'Europe/Paris');
select is((the('next_run', 'paris')::timestamptz at time zone 'Europe/Paris')::time, '04:00'::time, 'cron.timezone: of each schedule');
select is((error_of($$select pgtq.schedule_cron('x', '0 4 * * *', 'select 1', timezone => 'Mars')$$))[1], '22023', 'one that there is not');
select is(pgtq.unschedule('paris'), true, 'alter_job username: ended there');
set role :"DBNAME";
select pgtq.schedule_cron('paris', '0 4 * * *', 'select 1', timezone => 'Europe/Paris');
reset role;
select is(the('owner', 'paris'), :'DBNAME', 'and made here');
select pgtq.schedule_cron('often', '5 seconds', 'select 1', overlap => 'queue');
select is(the('overlap', 'often'), 'queue', 'a run that comes too early waits for the one before');
select is(the('overlap', 'one'), 'skip', 'unless it is skipped');
select pgtq.schedule_cron('vacuum', '30 3 * * 6', 'vacuum', job => true);
select is(the('job', 'vacuum'), 'true', 'a command that cannot run in a transaction');
select is(pgtq.unschedule('one') and pgtq.unschedule('two') and pgtq.unschedule('vacuum') and pgtq.unschedule('often') and pgtq.unschedule('paris', :'DBNAME'), true, 'unschedule by name');

-- forging
set role :"DBNAME";
select is((error_of(format('insert into pgtq.request (op, role, queue, schedule) values (''set_schedule'', 10, ''timers'', row(7, 7, 10, ''forged'', 7, ''select 1'', ''@daily'', row(1, 2, 3, 4, 5, 6, 7, 8, 9, true), null, now(), ''UTC'', null, null, null, ''skip'', ''one'', null, null, ''planned'', null, 1, null, false, null, true, now())::pgtq.schedule)'))), null, 'a request may say what it likes');
reset role;
select is((select (owner, state)::text from pgtq.schedules s where name = 'forged'), format('(%s,waiting)', :'DBNAME'), 'the schedule is its own, and is as if made by schedule_cron()');
select is((select (sc_parsed).hours from pgtq.schedule where sc_name = 'forged'), 1::bigint, 'also what is made of its expression');
select is((error_of(format('insert into pgtq.request (op, schedule) values (''set_schedule'', null)')))[1], '22023', 'an empty one is refused');
set role :"DBNAME";
select is((error_of('insert into pgtq.schedule default values'))[1], '42501', 'no writing to the table');
select is((error_of('select * from pgtq.schedule'))[1], '42501', 'no reading');
select is((error_of($$select pgtq._plan_run(null, true)$$))[1], '42501', 'internal functions are not for users');
reset role;

-- arguments that are wrong
create function bad(i_options text) returns text as $$
    select e[1] || ' ' || e[2] from error_of(format('select pgtq.schedule_every(%s)', i_options)) e;
$$ language sql;
select is(bad($$'', '1 h', 'x'$$), '22023 the name of a schedule must have 1 to 255 characters', 'a name');
select is(bad($$'x', '1 ms', 'x'$$), '22023 invalid interval between runs: 00:00:00.001', 'an interval');
select is(bad($$'x', null, 'x'$$), '22004 every must not be NULL', 'null');
select is(bad($$'x', '1 h', ' '$$), '22023 the action of a timer must not be empty', 'an action');
select is(bad($$'x', '1 h', 'x', timezone => 'Nowhere'$$), '22023 time zone "Nowhere" does not exist', 'a time zone');
select is(bad($$'x', '1 h', 'x', overlap => 'maybe'$$), '22023 invalid overlap', 'overlap');
select is(bad($$'x', '1 h', 'x', overlap => null$$), '22023 invalid overlap', 'of null');
select is(bad($$'x', '1 h', 'x', catch_up => 'some'$$), '22023 invalid catch_up', 'catch_up');
select is(bad($$'x', '1 h', 'x', catch_up => 'none', catch_up_window => '1 h'$$), '22023 invalid catch_up_window', 'a window of none');
select is(bad($$'x', '1 h', 'x', catch_up_window => '1 ms'$$), '22023 invalid catch_up_window', 'a window too small');
select is(bad($$'x', '1 h', 'x', jitter => '-1 s'$$), '22023 invalid jitter', 'jitter');
select is(bad($$'x', '1 h', 'x', jitter => '10000 years'$$), '22023 invalid jitter', 'too much of it');
select is(bad($$'x', '1 h', 'x', drift => 'x'$$), '22023 invalid drift', 'drift');
select is(bad($$'x', '1 h', 'x', drift => 'end', overlap => 'allow'$$), '22023 invalid overlap', 'drift and overlap');
select is(bad($$'x', '1 h', 'x', max_runs => 0$$), '22023 invalid max_runs', 'max_runs');
select is(bad($$'x', '1 h', 'x', start_at => 'infinity'$$), '22023 invalid start_at', 'start_at');
select is(bad($$'x', '1 h', 'x', start_at => '2100-01-01', end_at => '2099-01-01'$$), '22023 invalid end_at', 'end_at');
select is(bad($$'x', '1 h', 'x', end_at => '2000-01-01'$$), '22023 schedule "x" has no run: it ends before the first one', 'no run');
select is(bad($$'x', '1 h', 'x', queue => 'nowhere'$$), '42704 No such queue', 'a queue');
select is(bad($$'x', '1 h', 'x', timeout_ms => -1$$), '22023 timeout_ms must not be negative', 'a timeout');
select is(bad($$'x', '1 h', 'x', max_attempts => 0$$), '22023 max_attempts must be at least 1', 'attempts');
select is((error_of($$select pgtq.schedule_cron('x', '@daily', 'x', drift => 'end')$$))[2], 'drift => ''end'' needs an interval', 'drift of a cron expression');
begin isolation level repeatable read;
select is(bad($$'x', '1 h', 'x'$$), '40001 could not serialize access: a schedule needs the latest state', 'REPEATABLE READ');
rollback;
select is((select count(*) from pgtq.schedules where name = 'x'), 0::bigint, 'nothing was made');

-- a queue that is dropped
select pgtq.create_queue('mine');
select pgtq.attach_executor('mine');
select pgtq.schedule_every('in mine', '1 h', 'select 1', queue => 'mine');
select pgtq.drop_queue('mine', true);
select is(the('state', 'in mine'), null, 'takes its schedules with it');
drop owned by :"DBNAME";
drop role :"DBNAME";
select * from finish();
\ir ../roles/teardown.psql
