-- As 04_hostile: calls of timers, schedules and jobs, and the views.  Nobody's query on a view of
-- ours runs what is on his search_path, or what somebody else has put into a row.
\ir ../common.psql
\ir setup.psql
select plan(3);
\ir hostile.psql

-- a timer whose every text is trouble, if anybody took it for SQL
set role :producer;
select pgtq.schedule_in('1 h', $$'); select evil.now(); --$$, key => $$%s %I $1 '); drop table x; --$$) as keyed \gset
reset role;

set search_path = evil, pg_catalog;
set role :producer;
select public.error_of('select length(text ''x'')') as trap \gset
select pgtq.schedule_at('2100-01-01', 'select 1') as t1, pgtq.schedule_in('1 h', 'select 2', key => 'k', on_conflict => 'replace', max_delay => '2 h') as t2,
       pgtq.schedule_in('1 h', 'select 3', key => 'k', on_conflict => 'update') as t3, pgtq.schedule_in('0', 'select 4') as t4,
       pgtq.schedule_many(array['2100-01-01'::timestamptz, '2100-01-02'], array['a', 'b']) as t5 \gset
select pgtq.reschedule(:t1, '2101-01-01') as r1, pgtq.why(:t1) as r2, pgtq.why(:keyed) as r3, pgtq.cancel(:t1) as r4, pgtq.cancel_key('k') as r5,
       pgtq.cancel_many(array[:t1]) as r6, pgtq.why(:t1) as r7, pgtq.why(1000000) as r8 \gset
select pgtq.schedule_every('e', '1 h', 'select 1', start_at => '2099-01-01', jitter => '1 s', max_runs => 3, catch_up => 'all') as s1,
       pgtq.schedule_cron('c', '0 0 L * fri', 'select 1', 'Europe/Berlin', overlap => 'queue') as s2,
       pgtq.schedule_every('j', '1 h', 'select 1', job => true, job_options => '{"job_group": "g"}') as s3 \gset
select pgtq.schedule_every('e', '2 h', 'select 2') as s4, pgtq.pause('e') as s5, pgtq.resume('e') as s6, pgtq.run_now('e') as s7, pgtq.run_now('j') as s8 \gset
select (select count(*) from pgtq.preview('*/5 * * * *', 'UTC', 3)) as s9, pgtq.unschedule('c') as s10 \gset
select pgtq.submit_job('select 1', at => '2100-01-01', job_group => 'g', group_limit => 1, group_pause => '1 s', capture => 'text', expires_in => '1 h') as j1 \gset
select pgtq.why(:j1) as j2, pgtq.cancel_job(:j1) as j3, pgtq.why(:j1) as j4, pgtq.cancel_running(:j1) as j5, pgtq.current_timer() as j6 \gset
reset role;
-- each view, as who may see all rows
set role :boss;
select public.error_of('select length(text ''x'')') as trap2 \gset
select pgtq.ticker() as k1, (select count(*) from pgtq.health()) as k2 \gset
select format('select count(*) as rows from (select v::text from pgtq.%I v) x', relname)
  from pg_catalog.pg_class
 where relnamespace operator(pg_catalog.=) 'pgtq'::pg_catalog.regnamespace and relkind operator(pg_catalog.=) 'v'
   and pg_catalog.has_table_privilege(oid, 'select') \gexec
reset role;

reset search_path;
select is((:'trap'::text[])[2], 'hostile length runs as ' || :'producer', 'the traps are there, and none was met');
select is((:'trap2'::text[])[2], 'hostile length runs as ' || :'boss', 'for pgtq_admin, too');

-- nor can anybody put something of his between a view and its reader
grant create on schema public to :producer;
set role :producer;
select is((select array_agg(distinct (error_of(sql))[1]) from unnest(array[
    'create rule r as on insert to pgtq.timers do also select 1', 'create or replace view pgtq.timers as select 1 as id',
    'create trigger t instead of insert on pgtq.timers for each row execute function suppress_redundant_updates_trigger()',
    'create function pgtq.now() returns int return 1', 'alter view pgtq.timers set schema public', 'create table pgtq.x ()']) sql),
    array['42501'], 'the schema is closed');
reset role;

select * from finish();
\ir ../roles/teardown.psql
