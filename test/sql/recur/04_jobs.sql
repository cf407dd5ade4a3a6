-- Schedules whose runs are jobs: the chain goes on, whatever becomes of a job.
\ir ../common.psql
\ir ../roles/setup.psql
set timezone = 'UTC';
set client_min_messages = warning;
select plan(79);
select date_trunc('hour', now()) + interval '1 day' as day \gset

-- the time is that of a test, and everything due moves
create procedure at(i_at interval) as $$
begin
    perform set_config('pgtq.clock_offset', (date_trunc('hour', now()) + interval '1 day' + i_at - clock_timestamp())::text, false);
    perform pgtq.ticker();
    commit;
end;
$$ language plpgsql;
create function next_run(i_name text) returns text as $$
    select coalesce((next_run - date_trunc('hour', now()) - interval '1 day')::text, state) from pgtq.schedules where name = i_name;
$$ language sql;
create function jobs() returns text as $$
    select string_agg(format('%s %s', schedule, state), ', ' order by id) from pgtq.jobs where finished_at is null;
$$ language sql;
create function ended() returns text as $$
    select string_agg(format('%s %s', name, state), ', ' order by finished_at, id) from pgtq.schedule_runs;
$$ language sql;
create function every(i_name text, i_at interval, i_options text default '', i_action text default 'insert into ran values (1)') returns bigint as $$
declare
    _id bigint;
begin
    execute format('select pgtq.schedule_every(%L, ''1 minute'', %L, start_at => %L, job => true %s)', i_name, i_action,
                   date_trunc('hour', now()) + interval '1 day' + i_at, i_options) into _id;
    return _id;
end;
$$ language plpgsql;
create function forget() returns void as $$
    select pgtq.unschedule(name) from pgtq.schedules;
    delete from pgtq.history_0;
    delete from pgtq.history_1;
    delete from pgtq.history_2;
$$ language sql;
create table ran (a int);

-- a run waits as a timer, and is a job when it is due
select every('e', '0', $$, timeout_ms => 5000, max_attempts => 3, job_options => '{"job_group": "night", "priority": 7, "group_limit": 2, "capture": "text", "data": {"a": 1}, "expires_in": "1 hour", "session_life": "5 min"}'$$) as e \gset
select is((select (job, job_options ->> 'job_group')::text from pgtq.schedules), '(t,night)', 'the view knows');
select next_timer as t from pgtq.schedules \gset
select is((select (state, schedule)::text from pgtq.timers where id = :t), '(pending,e)', 'it waits as a timer');
call at('0');
select is((select count(*) from pgtq.event_template), 0::bigint, 'when it is due, no event');
select is((select (id, schedule, state, job_group, priority, group_limit, data, timeout_ms, action, submitted_by = current_user, fire_at = :'day', expires_at - fire_at)::text from pgtq.jobs),
          format('(%s,e,planned,night,7,2,"{""a"": 1}",5000,"insert into ran values (1)",t,t,01:00:00)', :t), 'but a job of its id, with all that was asked for');
select is((select (jo_attempts, jo_capture, jo_life)::text from pgtq.job), '(3,text,00:05:00)', 'also what the view does not show');
select is(next_run('e'), 'running', 'the run is under way');
select is((select count(*) from pgtq.timers where id = :t), 0::bigint, 'it is no timer now');
call at('5 s');
select is(jobs(), 'e planned', 'one only');
select matches(pgtq.why(:t), 'Job .* a run of schedule e,', 'why() says so');
call pgtq.run_jobs();
select is((select count(*) from ran), 1::bigint, 'it runs');
select is(next_run('e'), '00:01:00', 'then the next one is planned');
select is((select (last_state, failures_in_a_row, last_run is not null)::text from pgtq.schedules), '(fired,0,t)', 'the view knows');
select is(ended(), 'e fired', 'and that of runs');
select is((select (id, schedule, state, output)::text from pgtq.jobs), format('(%s,e,done,)', :t), 'and that of jobs');
select next_timer as t from pgtq.schedules \gset
select is((error_of(format('select pgtq.fire(%s)', :t)))[1:2], array['42809', format('timer %s will be a job', :t)], 'it cannot be fired in a transaction');
select is(pgtq.fire_all_pending(), 0, 'nor with others');
select is(pgtq.cancel(:t), true, 'a run that waits is cancelled');
select is(next_run('e'), '00:02:00', 'and the next one planned');
select is(jobs(), null, 'without a job');
call at('2 min');
select id as t from pgtq.jobs where state = 'planned' \gset
select is(pgtq.cancel_job(:t), true, 'a job is cancelled');
select is(next_run('e'), '00:03:00', 'the same');
select is((select last_state from pgtq.schedules), 'fired', 'a cancelled one is not the last run');
call at('3 min');
select is(pgtq.unschedule('e'), true, 'the schedule is ended');
select is(jobs(), null, 'and a job that has not begun, too');
select is((select count(*) from pgtq.delay), 0::bigint, 'nothing is left');
select forget();

-- overlap
select every(o, '10 min', format(', overlap => %L, job_options => ''{"group_limit": 1}''', o)) from unnest(array['skip', 'queue', 'allow']) o;
call at('10 min');
select is(next_run('skip') || ' ' || next_run('queue') || ' ' || next_run('allow'), 'running running 00:11:00', 'allow: the next one is planned at once');
call at('13 min 30 s');
call at('13 min 31 s');
select is(jobs(), 'skip planned, queue planned, allow planned, allow planned', 'the others wait for the end of the first');
call pgtq.run_jobs();
call at('13 min 32 s');
select is(jobs(), 'queue planned', 'queue: one that was due meanwhile is submitted');
call pgtq.run_jobs();
select is(next_run('skip') || ' ' || next_run('queue') || ' ' || next_run('allow'), '00:14:00 00:14:00 00:14:00', 'all go on at the next planned time');
select forget();

-- catch up, drift, ends
select every(c, '20 min', format(', catch_up => %L', c)) from unnest(array['one', 'none', 'all']) c;
call at('23 min 10 s');
call pgtq.run_jobs();
call at('23 min 11 s');
call pgtq.run_jobs();
call at('23 min 12 s');
call pgtq.run_jobs();
call at('23 min 13 s');
call pgtq.run_jobs();
call at('23 min 14 s');
call pgtq.run_jobs();
select is((select string_agg(name || n, ' ' order by name) from (select name, count(*) as n from pgtq.schedule_runs where state = 'fired' group by 1) c), 'all4 none1 one1', 'as many as each is to catch up with');
select is((select string_agg(distinct next_run(c), ' ') from unnest(array['one', 'none', 'all']) c), '00:24:00', 'and then as planned');
select forget();
select every('window', '25 min', ', catch_up_window => ''30 s'', job_options => ''{"expires_in": "10 s"}''');
call at('25 min');
select is((select expires_at - fire_at from pgtq.jobs where schedule = 'window'), '10 s', 'the earlier end counts');
call at('25 min 20 s');
call pgtq.run_jobs();
select is(ended(), 'window expired', 'a job that is too late does not begin');
select is(next_run('window'), '00:26:00', 'and the next one is planned');
select forget();
select every('drift', '40 min', ', drift => ''end''');
call at('40 min 20 s');
call pgtq.run_jobs();
call at('40 min 40 s');
select ok((select next_run - :'day'::timestamptz between interval '41 min 20 s' and interval '41 min 39 s' from pgtq.schedules), 'drift end: from the end of the job');
select forget();
select every('max', '50 min', ', max_runs => 2');
select every('end', '50 min', format(', end_at => %L', :'day'::timestamptz + interval '51 min'));
call at('50 min');
call pgtq.run_jobs();
call at('51 min');
call pgtq.run_jobs();
call at('53 min');
call pgtq.run_jobs();
select is(next_run('max') || ' ' || next_run('end'), 'finished finished', 'they come to their ends');
select is(ended(), 'max fired, end fired, max fired, end fired', 'after two runs each');
select ok(pgtq.run_now('max') > 0, 'one more by hand');
select is(jobs(), 'max planned', 'is a job at once');
call pgtq.run_jobs();
select is(next_run('max'), 'finished', 'and does not count');
select forget();

-- failures, tries, a lost session
select every('f', '1 h', ', max_attempts => 2, backoff => ''0''', 'select 1/0');
call at('1 h');
call pgtq.run_jobs(1);
select is(jobs() || ', ' || next_run('f'), 'f planned, running', 'it is tried again');
call pgtq.run_jobs();
select is(ended(), 'f retried, f failed', 'and has failed');
select is((select (state, failures_in_a_row, last_state, last_error)::text from pgtq.schedules), '(waiting,1,failed,"division by zero")', 'which is counted');
call at('1 h 1 min');
call pgtq.run_jobs();
call at('1 h 2 min');
call pgtq.run_jobs();
select is((select seen from pgtq.health() where name = 'schedules'), 'schedules whose runs fail: f (3 times)', 'health() warns');
select forget();
select every(c, '1 h 10 min', format(', max_attempts => 2, backoff => ''0'', job_options => ''{"on_crash": "%s"}''', c)) from unnest(array['fail', 'retry']) c;
call at('1 h 10 min');
update pgtq.job set jo_state = 2, jo_pid = 0, jo_started = now();
call pgtq.run_jobs();
select is(ended(), 'fail failed, retry retried, retry fired', 'a lost session: reported, or run again');
select is(next_run('fail') || ' ' || next_run('retry'), '01:11:00 01:11:00', 'the next ones are planned');
select forget();

-- pause, run_now, changes
select every('p', '1 h 20 min');
select is(pgtq.pause('p'), true, 'paused');
call at('1 h 25 min');
select is(next_run('p') || coalesce(jobs(), ''), 'paused', 'nothing runs');
select ok(pgtq.run_now('p') > 0, 'but by hand');
call pgtq.run_jobs();
select is(ended() || ' ' || next_run('p'), 'p fired paused', 'once');
select is(pgtq.resume('p'), true, 'resumed');
select is(next_run('p'), '01:26:00', 'from now on');
select next_timer as t from pgtq.schedules \gset
select is(pgtq.run_now('p'), :t::bigint, 'the next one, at once');
call at('1 h 25 min 10 s');
select is(jobs(), 'p planned', 'is submitted');
select is(pgtq.run_now('p'), null, 'not a second one');
select is(every('p', '1 h 20 min', '', 'select 2'), (select id from pgtq.schedules), 'changed meanwhile');
call pgtq.run_jobs();
select is((select action from pgtq.schedule_runs order by finished_at desc limit 1), 'insert into ran values (1)', 'what is under way ends as it began');
select is((select count(*) || ' ' || max(next_run('p')) from pgtq.delay), '1 01:26:00', 'and has no next one of its own');
select is(every('p', '1 h 20 min', ', job_options => null', 'select 2'), (select id from pgtq.schedules), 'the same again');
select is((select sc_epoch from pgtq.schedule), 2, 'changes nothing');
select pgtq.schedule_every('p', '1 minute', 'insert into ran values (1)', start_at => :'day'::timestamptz + interval '1 h 20 min');
call at('1 h 26 min');
select is((select count(*) from pgtq.event_template) || coalesce(jobs(), ''), '1', 'a timer again');
select forget();

-- a job that loses its owner, and a forged one
create role :"DBNAME" in role pgtq_writer;
grant all on ran to :"DBNAME";
set role :"DBNAME";
select every('his', '1 h 30 min');
select error_of(format($$insert into pgtq.request (op, job) select 'submit_job', j from jsonb_populate_record(null::pgtq.job,
    '{"jo_schedule": %s, "jo_run": {"epoch": 1, "n": 1, "next": "2020-01-01", "next_due": "2020-01-01"}, "jo_action": "select 1", "jo_group": "g", "jo_priority": 0,
      "jo_attempts": 1, "jo_backoff": "1 s", "jo_on_crash": "fail", "jo_output_limit": 1, "jo_header": true, "jo_delimiter": "", "jo_quote": "", "jo_escape": "",
      "jo_null": "", "jo_strings": true}') j$$, (select id from pgtq.schedules)));
reset role;
select is((select (jo_schedule is null, jo_run is null)::text from pgtq.job), '(t,t)', 'nobody can make a job a run of a schedule');
delete from pgtq.job;
call at('1 h 30 min');
drop owned by :"DBNAME";
drop role :"DBNAME";
select is(jobs(), 'his planned', 'its owner has gone');
select pgtq._fail_job(jo_id, '28000', 'no role') from pgtq.job;
call at('1 h 31 min');
select is((select (state, last_error)::text from pgtq.schedules), '(broken,"the role that owns it does not exist any more")', 'the schedule has stopped');
delete from pgtq.schedule;
delete from pgtq.schedule_end;

-- options that are wrong
create function bad(i_options text) returns text as $$
    select concat_ws(' | ', e[1], e[2], nullif(e[3], ''), left(nullif(e[4], ''), 36)) from error_of(format('select pgtq.schedule_cron(''x'', ''@daily'', ''select 1'', %s)', i_options)) e;
$$ language sql;
select is(bad($$job_options => '{}'$$), '22023 | job_options need job => true', 'of no job');
select is(bad($$job => true, job_options => '[1]'$$), '22023 | job_options must be a JSON object | Such as {"job_group": "night", "grou', 'no object');
select is(bad($$job => true, job_options => '{"group": "x"}'$$), '22023 | unknown option "group" in job_options | Valid are "capture", "data", "delimi', 'unknown');
select is(bad($$job => true, job_options => '{"max_attempts": 2}'$$), '22023 | unknown option "max_attempts" in job_options | It is an argument of the schedule it', 'in the wrong place');
select is(bad($$job => true, job_options => '{"group_limit": "many"}'$$), '22023 | invalid value of option "group_limit" in job_options | invalid input syntax for type integer: "many". | It is what submit_job() takes for it', 'of a wrong type');
select is(bad($$job => true, job_options => '{"job_group": ["x"]}'$$), '22023 | invalid value of option "job_group" in job_options | It is an array.', 'no single value');
select is(bad($$job => true, job_options => '{"on_crash": "x"}'$$), '22023 | invalid on_crash: "x" | Valid are "fail" and "retry".', 'a wrong value');
select is(bad($$job => true, job_options => '{"priority": null}'$$), '22004 | priority must not be NULL', 'null');
select is(bad($$job => true, job_options => '{"expires_in": "-1 s"}'$$), '22023 | expires_in must be positive', 'expires_in');
select is(bad($$job => true, job_options => '{"expires_in": "soon"}'$$), '22023 | invalid value of option "expires_in" in job_options | invalid input syntax for type interval: "soon". | It is what submit_job() takes for it', 'no interval');
select is(bad($$job => true, queue => 'mine'$$), '42704 | No such queue | Queue: mine | Queues are made with create_queue().', 'a queue');
select pgtq.create_queue('mine'), pgtq.attach_executor('mine');
select is(bad($$job => true, queue => 'mine'$$), '22023 | a schedule of jobs has no queue | Leave out queue.', 'any queue');
select pgtq.drop_queue('mine', true);
-- submit_job() and the options of a schedule have the same names and defaults
select pgtq.submit_job('select 1', at => :'day');
select pgtq.schedule_every('defaults', '1 day', 'select 1', job => true);
select is((select row_to_json(j)::jsonb - '{jo_schedule}'::text[] from (select (pgtq._schedule_job(s, :'day')).* from pgtq.schedule s) j),
          (select row_to_json(j)::jsonb - '{jo_schedule}'::text[] || '{"jo_id": null, "jo_txid": null, "jo_home": null, "jo_state": null, "jo_created": null, "jo_attempt": null}' from pgtq.job j), 'the defaults are those of submit_job()');
select is((select array_agg(a order by a) from unnest((select proargnames from pg_proc where proname = 'submit_job')) a
            where a not in ('action', 'at', 'timeout_ms', 'max_attempts', 'backoff', 'parent')),
          (select array_agg(a order by a) from regexp_matches((error_of($$select pgtq.schedule_every('x', '1 h', 'x', job => true, job_options => '{"x": 1}')$$))[4], '"(\w+)"', 'g') m (b), lateral (select b[1]) l (a)),
          'and so are the names');
-- the two calls have the same arguments, but for when
select is((select (proargnames[1:1] || proargnames[3:], pg_get_expr(proargdefaults, 0))::text from pg_proc where proname = 'schedule_cron' and pronamespace = 'pgtq'::regnamespace),
          (select (proargnames[1:1] || proargnames[3:], pg_get_expr(proargdefaults, 0))::text from pg_proc where proname = 'schedule_every' and pronamespace = 'pgtq'::regnamespace),
          'schedule_cron() and schedule_every() are in step');
select forget();
delete from pgtq.job;
drop procedure at(interval);
drop function next_run(text), jobs(), ended(), every(text, interval, text, text), forget(), bad(text);
select * from finish();
\ir ../roles/teardown.psql
