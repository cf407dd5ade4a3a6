-- What each role may not do; a role without any grant may do nothing.
\ir ../common.psql
\ir setup.psql
select plan(61);
select pgtq.create_queue('q'), pgtq.register_consumer('q', 'c');

-- every function of pgtq, called by somebody without a grant; no nulls, for a strict function
-- is not even called with them
create temp table calls as
    select p.oid::regprocedure::text as name,
           format('select pgtq.%I(%s)', proname,
                  (select string_agg(case when n = pronargs and provariadic <> 0 then 'variadic ' else '' end
                                     || case when t = 'record'::regtype then 'row(1)' else format('%L::%s', case when t in ('timestamptz'::regtype, 'timestamp'::regtype) then 'now' when t = 'pg_snapshot'::regtype then '1:1:'
                                                              when typcategory = 'A' then '{}' when typtype <> 'c' then '1' end, t::regtype) end, ', ' order by n)
                     from unnest(proargtypes) with ordinality u (t, n) join pg_type on pg_type.oid = t)) as command
      from pg_proc p where pronamespace = 'pgtq'::regnamespace and prokind = 'f' and prorettype <> 'trigger'::regtype
    union all
    select c.oid::regclass::text, 'select * from ' || c.oid::regclass
      from pg_class c where relnamespace = 'pgtq'::regnamespace and relkind in ('r', 'v', 'S');
grant select on calls to public;
select cmp_ok((select count(*) from calls), '>', 70::bigint, 'there are functions and tables');
set role :nobody;
select set_eq('select (error_of(command))[2] from calls', array['permission denied for schema pgtq'], 'nobody: no function and no table');
reset role;
-- even with USAGE on the schema
grant usage on schema pgtq to :nobody;
set role :nobody;
select is_empty($$select name, error_of(command) from calls where (error_of(command))[1] is distinct from '42501'$$, 'nobody in the schema: no function and no table');
reset role;
revoke usage on schema pgtq from :nobody;

-- a reader
set role :worker;
select throws_ok(call, '42501', null, 'reader: ' || call)
  from unnest(array[$$select pgtq.insert_event('q', 't', 'd')$$, $$select pgtq.insert_event('q', 't', 'd', '', '', '', '')$$,
                    $$select pgtq.insert_event_raw('q', 1, now(), 1, 1, 't', 'd', '', '', '', '')$$, $$select pgtq.current_event_table('q')$$,
                    $$select pgtq.create_queue('x')$$, $$select pgtq.drop_queue('q')$$, $$select pgtq.drop_queue('q', true)$$,
                    $$select pgtq.set_queue_config('q', 'ticker_paused', 'true')$$, $$select pgtq.ticker()$$, $$select pgtq.ticker('q')$$,
                    $$select pgtq.maint_rotate_tables_step1('q')$$, $$select pgtq.maint_rotate_tables_step2()$$, $$select pgtq.maint_retry_events()$$,
                    $$select pgtq._append_position(1, 2, 1, null, null)$$, $$select pgtq._current_table('pgtq.event_1')$$,
                    $$insert into pgtq.event_1_0 (ev_id, ev_time) values (1, now())$$, $$update pgtq.queue set queue_ticker_paused = true$$,
                    $$insert into pgtq.position_0 values (1, 2)$$, $$delete from pgtq.subscriber$$, $$truncate pgtq.tick$$,
                    $$select * from pgtq.retry_queue$$, $$select nextval('pgtq.batch_id_seq')$$, $$select setval('pgtq.event_1_id_seq', 1)$$]) call;

-- a writer
set role :producer;
select throws_ok(call, '42501', null, 'writer: ' || call)
  from unnest(array[$$select pgtq.insert_event_raw('q', 1, now(), 1, 1, 't', 'd', '', '', '', '')$$, $$select pgtq.next_batch('q', 'c')$$,
                    $$select * from pgtq.next_batch_custom('q', 'c', null, null, null)$$, $$select * from pgtq.get_batch_events(1)$$,
                    $$select pgtq.finish_batch(1)$$, $$select pgtq.register_consumer('q', 'x')$$, $$select pgtq.unregister_consumer('q', 'c')$$,
                    $$select pgtq.event_retry(1, 1, 1)$$, $$select pgtq.ticker('q')$$, $$select pgtq.force_tick('q')$$, $$select pgtq.create_queue('x')$$,
                    $$select pgtq.set_queue_config('q', 'ticker_paused', 'true')$$, $$select pgtq._current_table('pgtq.event_1')$$,
                    $$insert into pgtq.event_1_0 (ev_id, ev_time) values (1, now())$$, $$select * from pgtq.event_1_0$$, $$select * from pgtq.queue$$,
                    $$select nextval('pgtq.event_1_id_seq')$$, $$select setval('pgtq.event_1_cur_seq', 2)$$]) call;

-- an admin
set role :boss;
select throws_ok(call, '42501', null, 'admin: ' || call)
  from unnest(array[$$select pgtq._append_position(1, 2, 1, null, null)$$, $$select pgtq._turn_positions()$$, $$select pgtq._drop_table('q')$$,
                    $$insert into pgtq.position_0 values (1, 2)$$, $$delete from pgtq.queue$$, $$update pgtq.queue set queue_id = 9$$, $$update pgtq.queue set queue_cur_table = 2$$,
                    $$update pgtq.queue set queue_ntables = 9$$, $$update pgtq.queue set queue_data_pfx = 'public.x'$$, $$update pgtq.queue set queue_event_seq = 'public.x'$$,
                    $$update pgtq.queue set queue_tick_seq = 'public.x'$$, $$update pgtq.queue set queue_first_tick = 0$$, $$drop table pgtq.event_1_0$$,
                    $$delete from pgtq.event_1_0$$, $$update pgtq.event_1_0 set ev_data = ''$$, $$insert into pgtq.tick_1_0 (tick_queue, tick_id, tick_event_seq) values (1, 9, 1)$$]) call;
reset role;
select is((select count(*) from pgtq.event_template) + (select count(*) from pgtq.queue where queue_ticker_paused) + (select count(*) from pgtq.queue where queue_name = 'x'),
          0::bigint, 'nothing of it was done');
select * from finish();
\ir teardown.psql
