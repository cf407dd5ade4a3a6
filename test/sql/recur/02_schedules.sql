-- Schedules: the chain of runs, one after the other, whatever becomes of each.
\ir ../common.psql
set timezone = 'UTC';
set client_min_messages = warning;
select plan(77);
select date_trunc('hour', now()) + interval '1 day' as day \gset

-- the time is that of a test, and everything due moves and ticks
create procedure at(i_at timestamptz) as $$
begin
    perform set_config('pgtq.clock_offset', (i_at - clock_timestamp())::text, false);
    perform pgtq.ticker();
    commit;
    perform pgtq.force_tick('timers');
    perform pgtq.ticker();
    commit;
end;
$$ language plpgsql;
create function next_run(i_name text) returns text as $$
    select coalesce((next_run - date_trunc('hour', now()) - interval '1 day')::text, state) from pgtq.schedules where name = i_name;
$$ language sql;
create function planned(i_name text) returns text as $$
    select string_agg(format('%s %s', (ev_run).n, (ev_run).planned - date_trunc('hour', now()) - interval '1 day'), ', ' order by (ev_run).n)
      from pgtq.delay where ev_schedule = (select id from pgtq.schedules where name = i_name) and ev_retry is null;
$$ language sql;
create table ran (what text, at timestamptz default clock_timestamp());
create function ran() returns text as $$
    with gone as (delete from ran returning what, at) select string_agg(what, ' ' order by at) from gone;
$$ language sql;

-- made, kept, changed, ended
select pgtq.schedule_every('e', '1 minute', 'insert into ran values (''e'')', start_at => :'day') as e \gset
select is(next_run('e'), '00:00:00', 'the first run is at start_at');
select is(pgtq.schedule_every('e', '1 minute', 'insert into ran values (''e'')', start_at => :'day'), :e::bigint, 'again: the same schedule');
select is((select count(*) from pgtq.delay), 1::bigint, 'with one run');
select is((select sc_epoch from pgtq.schedule), 1, 'unchanged');
select is(pgtq.schedule_every('e', '2 minutes', 'insert into ran values (''e'')', start_at => :'day'), :e::bigint, 'with another interval');
select is((select count(*) from pgtq.delay), 1::bigint, 'still one run');
select is((select schedule from pgtq.schedules), 'every 00:02:00', 'is changed');
call at(:'day');
select is(next_run('e'), 'running', 'it is due: under way');
select is((select ev_timer from pgtq.event_template), (select max(ev_timer) from pgtq.event_template), 'one event');
call pgtq.run_due();
select is(ran(), 'e', 'it runs');
select is(next_run('e'), '00:02:00', 'then the next one is planned');
select is((select array[last_state, state] from pgtq.schedules), '{fired,waiting}', 'the view knows');
select is(pgtq.unschedule('e'), true, 'ended');
select is(pgtq.unschedule('e'), false, 'only once');
select is((select count(*) from pgtq.delay), 0::bigint, 'nothing is left');
select is((select state from pgtq.timers where fire_at = :'day'::timestamptz + interval '2 min'), 'cancelled', 'its next run is cancelled');

-- overlap
select pgtq.schedule_every(o, '1 minute', format('insert into ran values (%L)', o), start_at => :'day'::timestamptz + interval '10 min', overlap => o)
  from unnest(array['skip', 'queue', 'allow']) o;
call at(:'day'::timestamptz + interval '10 min');
select is(next_run('skip') || ' ' || next_run('queue') || ' ' || next_run('allow'), 'running running 00:11:00', 'allow: the next one is planned at once');
call at(:'day'::timestamptz + interval '13 min 30 s');
call pgtq.run_due();
select is(ran(), 'skip queue allow allow', 'the others wait for the end of the first');
call at(:'day'::timestamptz + interval '13 min 31 s');
call pgtq.run_due();
select is(ran(), 'queue', 'queue: one that was due meanwhile runs now');
select is(planned('skip') || ' | ' || planned('queue') || ' | ' || planned('allow'), '2 00:14:00 | 3 00:14:00 | 3 00:14:00', 'all go on at the next planned time');
select bool_and(pgtq.unschedule(name)) from pgtq.schedules;

-- catch up
select pgtq.schedule_every(c, '1 minute', format('insert into ran values (%L)', c), start_at => :'day'::timestamptz + interval '20 min', catch_up => c)
  from unnest(array['one', 'none', 'all']) c;
select pgtq.schedule_every('window', '1 minute', 'insert into ran values (''window'')', start_at => :'day'::timestamptz + interval '20 min', catch_up => 'all', catch_up_window => '90 s');
call at(:'day'::timestamptz + interval '23 min 10 s');
call at(:'day'::timestamptz + interval '23 min 11 s');
call at(:'day'::timestamptz + interval '23 min 12 s');
call at(:'day'::timestamptz + interval '23 min 13 s');
call pgtq.run_due();
call at(:'day'::timestamptz + interval '23 min 14 s');
call pgtq.run_due();
call at(:'day'::timestamptz + interval '23 min 15 s');
call pgtq.run_due();
call at(:'day'::timestamptz + interval '23 min 16 s');
call pgtq.run_due();
call at(:'day'::timestamptz + interval '23 min 17 s');
call pgtq.run_due();
select is((select string_agg(what || count, ' ' order by what) from (select what, count(*) from ran group by 1) c), 'all4 none1 one1 window2', 'as many as each is to catch up with');
select is((select string_agg(distinct next_run(c), ' ') from unnest(array['one', 'none', 'all', 'window']) c), '00:24:00', 'and then as planned');
select is((select count(*) from pgtq.schedule_runs where name = 'window' and state = 'expired'), 1::bigint, 'what is too late is noted');
select bool_and(pgtq.unschedule(name)) from pgtq.schedules;
delete from ran;
select pgtq.schedule_every('none', '1 hour', 'insert into ran values (''none'')', start_at => :'day'::timestamptz + interval '30 min', catch_up => 'none');
call at(:'day'::timestamptz + interval '31 min 1 s');
call pgtq.run_due();
select is(ran(), null, 'none: not one that is more than a minute late');
select is(next_run('none'), '01:30:00', 'but the next');
select bool_and(pgtq.unschedule(name)) from pgtq.schedules;

-- drift, jitter, ends
select pgtq.schedule_every('drift', '1 minute', 'insert into ran values (''drift'')', start_at => :'day'::timestamptz + interval '40 min', drift => 'end');
call at(:'day'::timestamptz + interval '40 min');
call pgtq.run_due();
call at(:'day'::timestamptz + interval '40 min 20 s');
select ok((select next_run between :'day'::timestamptz + interval '41 min' and :'day'::timestamptz + interval '41 min 19 s' from pgtq.schedules), 'drift end: from the end of the run');
delete from ran;
select bool_and(pgtq.unschedule(name)) from pgtq.schedules;
select pgtq.schedule_every('d' || n, '1 minute', 'select 1', start_at => :'day'::timestamptz + interval '43 min', jitter => '2 min', drift => 'end')
  from generate_series(1, 20) n;
select name as first, next_run as due from pgtq.schedules order by next_run limit 1 \gset
call at(:'due');
call pgtq.run_due();
call at(:'due'::timestamptz + interval '1 s');
select ok((select next_run >= :'due'::timestamptz + interval '1 min' from pgtq.schedules where name = :'first'), 'with jitter, too');
select bool_and(pgtq.unschedule(name)) from pgtq.schedules;

-- a run that is due at once, as its time came while the one before ran, and is cancelled before it is put off
select pgtq.schedule_every('skip', '1 minute', 'select 1', start_at => :'day'::timestamptz + interval '46 min');
select pgtq.schedule_every('drift', '1 minute', 'select 1', start_at => :'day'::timestamptz + interval '46 min', drift => 'end');
call at(:'day'::timestamptz + interval '46 min');
call at(:'day'::timestamptz + interval '47 min 30 s');
call pgtq.run_due();
select array_agg(next_timer) as timers from pgtq.schedules \gset
select is((select array_agg(pgtq.cancel(t)) from unnest(:'timers'::bigint[]) t), '{t,t}', 'cancelled');
select is((select count(*) from pgtq.delay where ev_timer = any (:'timers')), 0::bigint, 'is not pending any more');
call at(:'day'::timestamptz + interval '47 min 31 s');
select is(planned('skip'), '3 00:48:00', 'skip: the schedule goes on');
select is((select next_run >= :'day'::timestamptz + interval '48 min 30 s' from pgtq.schedules where name = 'drift'), true, 'drift end: so it does');
select bool_and(pgtq.unschedule(name)) from pgtq.schedules;
select pgtq.schedule_every('j' || n, '1 hour', 'select 1', start_at => :'day', jitter => '10 min') from generate_series(1, 20) n;
select ok((select bool_and(next_run - :'day'::timestamptz between interval '1 h' and interval '1 h 10 min') and count(distinct next_run) > 10 from pgtq.schedules), 'jitter: each somewhat later');
select is((select count(distinct (ev_run).planned) from pgtq.delay where ev_schedule is not null), 1::bigint, 'than planned');
select bool_and(pgtq.unschedule(name)) from pgtq.schedules;
select pgtq.schedule_every('max', '1 minute', 'select 1', start_at => :'day'::timestamptz + interval '50 min', max_runs => 2, overlap => 'allow');
select pgtq.schedule_every('end', '1 minute', 'select 1', start_at => :'day'::timestamptz + interval '50 min', end_at => :'day'::timestamptz + interval '51 min');
call at(:'day'::timestamptz + interval '50 min');
call pgtq.run_due();
select is(next_run('max') || ' ' || next_run('end'), '00:51:00 00:51:00', 'a second run');
call at(:'day'::timestamptz + interval '51 min');
call pgtq.run_due();
call at(:'day'::timestamptz + interval '53 min');
select is(next_run('max') || ' ' || next_run('end'), 'finished finished', 'and no third');
select is((select count(*) from pgtq.schedule_runs where state = 'fired' and name in ('max', 'end')), 4::bigint, 'two of each');
select ok(pgtq.run_now('max') > 0, 'unless by hand');
select is((select count(*) from pgtq.delay where ev_schedule is not null), 1::bigint, 'once');
select bool_and(pgtq.unschedule(name)) from pgtq.schedules;

-- by hand
select pgtq.schedule_every('h', '1 minute', 'insert into ran values (''h'')', start_at => :'day'::timestamptz + interval '1 h') as h \gset
select next_timer as t from pgtq.schedules \gset
select is(pgtq.cancel(:t), true, 'a run is cancelled');
select is(planned('h'), '2 01:01:00', 'the next one is planned');
select next_timer as t from pgtq.schedules \gset
select is(pgtq.fire(:t), 'fired', 'one is fired by hand');
select is(planned('h'), '3 01:02:00', 'the same');
select next_timer as t from pgtq.schedules \gset
select is(pgtq.reschedule(:t, :'day'::timestamptz + interval '1 h 10 min'), true, 'one is moved');
select is(next_run('h'), '01:10:00', 'to another time');
call at(:'day'::timestamptz + interval '1 h 10 min 5 s');
call pgtq.run_due();
select is(planned('h'), '4 01:11:00', 'the plan stays');
select is(ran(), 'h h', 'both ran');
select is(pgtq.pause('h'), true, 'paused');
select is(pgtq.pause('h'), false, 'it is already');
select is(next_run('h'), 'paused', 'nothing is planned');
call at(:'day'::timestamptz + interval '1 h 30 min');
select is((select count(*) from pgtq.delay where dl_due = 'infinity'), 1::bigint, 'its run waits');
select is(pgtq._next_due() is null, true, 'which wakes nobody');
select is((select count(*) from pgtq.upcoming), 0::bigint, 'and is not among what comes');
select matches((select pgtq.why(next_timer) from pgtq.schedules), 'a run of schedule h, waits until that is resumed', 'why() says why');
select ok(pgtq.run_now('h') > 0, 'run now');
call at(:'day'::timestamptz + interval '1 h 30 min 1 s');
call pgtq.run_due();
select is(ran(), 'h', 'it runs');
select is(pgtq.resume('h'), true, 'resumed');
select is(planned('h'), '4 01:31:00', 'from now on');
select is(pgtq.resume('h'), false, 'it was');
select ok(pgtq.run_now('h') > 0, 'run now');
call at(:'day'::timestamptz + interval '1 h 30 min 2 s');
select is(pgtq.run_now('h'), null, 'not a second time');
call pgtq.run_due();
select is(planned('h'), '5 01:31:00', 'the plan stays');
select is(ran(), 'h', 'it ran');

-- a run under way when the schedule is paused, and one when it is ended
call at(:'day'::timestamptz + interval '1 h 31 min');
select pgtq.pause('h');
call pgtq.run_due();
select is(ran(), 'h', 'what is under way when it is paused ends');
call at(:'day'::timestamptz + interval '1 h 32 min 30 s');
select is(next_run('h') || ' ' || (select count(*) from pgtq.delay where dl_due = 'infinity'), 'paused 1', 'and no other begins');
select pgtq.resume('h');
select is(next_run('h'), '01:33:00', 'until it is resumed');
call at(:'day'::timestamptz + interval '1 h 33 min');
select pgtq.unschedule('h');
call pgtq.run_due();
select is(ran(), 'h', 'what is under way when it is ended ends');
select is((select count(*) from pgtq.delay), 0::bigint, 'and nothing comes after it');

-- failures, tries, a change while a run is under way
select pgtq.schedule_every('f', '1 minute', 'select 1/0', start_at => :'day'::timestamptz + interval '2 h', max_attempts => 2, backoff => '0');
call at(:'day'::timestamptz + interval '2 h');
call pgtq.run_due();
select is(next_run('f'), 'running', 'it is tried again');
select is((select count(*) from pgtq.delay where ev_retry = 1), 1::bigint, 'later');
call at(:'day'::timestamptz + interval '2 h 1 s');
call pgtq.run_due();
select is(next_run('f'), '02:01:00', 'after the last try the next run is planned');
select is((select (failures_in_a_row, last_state, last_error)::text from pgtq.schedules), '(1,failed,"division by zero")', 'one has failed');
call at(:'day'::timestamptz + interval '2 h 1 min');
select pgtq.schedule_every('f', '1 minute', 'select 1', start_at => :'day'::timestamptz + interval '2 h');
call pgtq.run_due();
select is((select (failures_in_a_row, last_state)::text from pgtq.schedules), '(1,failed)', 'a run that began before a change is tried again as it was');
call at(:'day'::timestamptz + interval '2 h 1 min 1 s');
select is((select count(*) from pgtq.delay where ev_retry is null), 1::bigint, 'and has no next one of its own');
select pgtq.cancel(ev_timer) from pgtq.delay where ev_retry is not null;
call at(:'day'::timestamptz + interval '2 h 2 min');
call pgtq.run_due();
select is((select (failures_in_a_row, last_state)::text from pgtq.schedules), '(0,fired)', 'the next one is as it was changed');
select bool_and(pgtq.unschedule(name)) from pgtq.schedules;
-- the history goes, but for the last runs of each
reset pgtq.clock_offset;
select pgtq.schedule_every('seldom', '1 year', 'select 1/0');
select pgtq.fire(next_timer) from pgtq.schedules;
select pgtq.fire(next_timer) from pgtq.schedules;
select pgtq.fire(next_timer) from pgtq.schedules;
select pgtq.fire(next_timer) from pgtq.schedules;
select is((select failures_in_a_row from pgtq.schedules), 4::bigint, 'four have failed');
do $$
begin
    for n in 1 .. 8 loop
        perform pgtq.cancel(pgtq.schedule_in('1 hour', 'select 1')) from generate_series(1, 200);
        execute format('update pgtq.history_%s set hi_finished = now() - interval ''2 days'' where hi_timer = 0', (select last_value from pgtq.history_cur_seq));
        commit;
        perform pgtq.maint_rotate_tables_step2();
        commit;
    end loop;
end
$$;
select is((select failures_in_a_row from pgtq.schedules), 3::bigint, 'the last three are remembered');
select is((select count(*) from pgtq.history where hi_schedule is not null), 3::bigint, 'and nothing else');
select pgtq.unschedule('seldom');
drop procedure at(timestamptz);
drop function next_run(text), planned(text), ran();
select * from finish();
