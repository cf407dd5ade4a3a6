-- The mover: what is due enters its queue, in order, whoever committed when.
\ir ../common.psql
select plan(30);
select pgtq.create_queue('q'), pgtq.create_queue('other'), always_tick('q'), always_tick('other');
select pgtq.register_consumer('q', 'c'), pgtq.register_consumer('other', 'c');

-- in the order of due times, not of ids
select pgtq.insert_event_at('q', now() - make_interval(secs => n), 't', n::text) from generate_series(1, 5) n;
select pgtq.insert_event_at('other', now() - interval '1 s', 't', 'o');
select pgtq.insert_event_in('q', '1 hour', 't', 'later');
select is((select moved from pgtq._move_due(100)), 6, 'six are due');
select is((select moved from pgtq._move_due(100)), 0, 'and have left');
select pgtq.ticker();
select is(drain('q', 'c'), array['5', '4', '3', '2', '1'], 'they come in the order of their times');
select is(drain('other', 'c'), array['o'], 'each in its queue');
select is((select count(*) from pgtq.delay), 1::bigint, 'one waits');
select ok((select pgtq._next_due() between now() + interval '59 min' and now() + interval '61 min'), 'it is the next');

-- the event
select pgtq.insert_event_at('q', '2020-02-02 02:02:02.020202+00', 'type', 'data', 'e1', 'e2', 'e3', 'e4') as id \gset
select ok((select pgtq._next_due() = '2020-02-02 02:02:02.020202+00'), 'what is due already is the next');
select is((select queue_ids from pgtq._move_due(100)), array[(select queue_id from pgtq.queue where queue_name = 'q')], 'the queues that got some');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select results_eq(format('select ev_time, ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4 from pgtq.get_batch_events(%s)', :batch),
                  $$values ('2020-02-02 02:02:02.020202+00'::timestamptz, null::integer, 'type'::text, 'data'::text, 'e1'::text, 'e2'::text, 'e3'::text, 'e4'::text)$$, 'the event');
select pgtq.finish_batch(:batch);
select is((select ev_timer from pgtq.event_template where ev_data = 'data'), :id::bigint, 'carries the id of its timer');
select is((select state from pgtq.timers where id = :id), 'fired', 'and the timer has fired');

-- slices: none is left out, also if all are due at one instant
select count(pgtq.insert_event_at('q', now() - make_interval(secs => n % 3), 't', n::text)) from generate_series(1, 100) n;
select is(array(select moved from generate_series(1, 8) n, lateral pgtq._move_due(case when n > 0 then 15 end)), array[15, 15, 15, 15, 15, 15, 10, 0], 'in slices');
select pgtq.ticker('q');
select is(cardinality(drain('q', 'c')), 100, 'all of them');
select is((select moved from pgtq._move_due(0)), 0, 'a limit of 0');

-- committed late: the mover has been past its time meanwhile
create extension if not exists dblink schema public;
select public.dblink_connect('w', format('host=%s dbname=%s user=postgres', split_part(current_setting('unix_socket_directories'), ',', 1), current_database())) as r \gset
select public.dblink_exec('w', 'begin') as r \gset
select * from public.dblink('w', $$select pgtq.insert_event_at('q', now() - interval '1 minute', 't', 'late')$$) t (id bigint);
select * from public.dblink('w', $$select count(pgtq.insert_event_in('q', '1 day', 't', 'future')) from generate_series(1, 100)$$) t (n bigint);
select pgtq.insert_event_in('q', '0', 't', 'now');
select is((select moved from pgtq._move_due(100)), 1, 'what is committed');
select pgtq.insert_event_in('q', '0', 't', 'now');
select is((select moved from pgtq._move_due(100)), 1, 'again');
select public.dblink_exec('w', 'commit') as r \gset
select is((select moved from pgtq._move_due(100)), 1, 'the late one');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['now', 'now', 'late'], 'nothing is lost, and nothing comes twice');
-- one that began before a move and wrote after it
select public.dblink_exec('w', 'begin isolation level repeatable read') as r \gset
select * from public.dblink('w', 'select count(*) from pgtq.queue') t (n bigint);
select pgtq.insert_event_in('q', '0', 't', 'between');
select is((select moved from pgtq._move_due(100)), 1, 'meanwhile');
select * from public.dblink('w', $$select pgtq.insert_event_at('q', now() - interval '1 minute', 't', 'rr')$$) t (id bigint);
select is((select moved from pgtq._move_due(100)), 0, 'not committed');
select public.dblink_exec('w', 'commit') as r \gset
select is((select moved from pgtq._move_due(100)), 1, 'committed');
select public.dblink_disconnect('w') as r \gset

-- under an old snapshot the mover does nothing
select pgtq.insert_event_in('q', '0', 't', 'rr');
begin isolation level repeatable read;
select is((select moved from pgtq._move_due(100)), 0, 'REPEATABLE READ');
commit;
-- a move that is rolled back has not happened
begin;
select moved from pgtq._move_due(100) \gset
rollback;
select is(:moved, 1, 'moved');
select is((select moved from pgtq._move_due(100)), 1, 'and again, after a rollback');
begin;
savepoint a;
select pgtq.insert_event_in('q', '0', 't', 'sub');
select moved from pgtq._move_due(100);
rollback to a;
commit;
select is((select moved from pgtq._move_due(100)), 0, 'a savepoint');

-- what a transaction schedules after it has moved, and after others have ended meanwhile
begin;
select pgtq.insert_event_in('q', '0', 't', 'first');
select public.dblink_connect('x', format('host=%s dbname=%s user=postgres', split_part(current_setting('unix_socket_directories'), ',', 1), current_database())) as r \gset
select * from public.dblink('x', 'select pg_current_xact_id()::text') t (x text);
select moved from pgtq._move_due(100) \gset
select pgtq.insert_event_in('q', '-1 s', 't', 'second');
commit;
select public.dblink_disconnect('x') as r \gset
select is(:moved, 1, 'moved in the transaction that scheduled');
select is((select moved from pgtq._move_due(100)), 1, 'and what it scheduled after that');

-- a queue that is gone takes its timers with it
select pgtq.insert_event_in('other', '1 hour', 't', 'gone') from generate_series(1, 3);
select pgtq.drop_queue('other', true);
select is((select count(*) from pgtq.delay where dl_queue not in (select queue_id from pgtq.queue)), 0::bigint, 'a queue that was dropped');
insert into pgtq.delay_0 (ev_timer, ev_created, dl_queue, dl_due) values (99999, now(), 4711, now());
select is((select moved from pgtq._move_due(100)), 0, 'what has no queue (a dump is being restored)');
select is((select count(*) from pgtq.delay where ev_timer = 99999), 1::bigint, 'stays');
select * from finish();
