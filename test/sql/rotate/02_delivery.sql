-- Whatever the rotation does, each event is delivered once, in the order of ids.
select plan(11);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');
select queue_data_pfx as pfx from pgtq.queue \gset
update pgtq.queue set queue_rotation_period = '0';
create temp table got (n serial, data text);
create procedure rotate() as $$
begin
    for _i in 1 .. 3 loop
        exit when pgtq.maint_rotate_tables_step1('q') = 0;
        commit;
    end loop;
    commit;
    perform pgtq.maint_rotate_tables_step2();
    commit;
end;
$$ language plpgsql;

-- a rotation at every point between insert, tick and read
do $$
begin
    for _i in 1 .. 60 loop
        if _i % 3 = 0 then call rotate(); end if;
        perform pgtq.insert_event('q', 't', (_i * 2 - 1)::text);
        commit;
        if _i % 4 = 0 then call rotate(); end if;
        perform pgtq.insert_event('q', 't', (_i * 2)::text);
        commit;
        if _i % 5 = 0 then call rotate(); end if;
        perform pgtq.ticker('q');
        commit;
        if _i % 2 = 0 then call rotate(); end if;
        if _i % 7 = 0 then
            insert into got (data) select unnest(drain('q', 'c'));
            commit;
        end if;
    end loop;
end
$$;
insert into got (data) select unnest(drain('q', 'c'));
select is((select array_agg(data order by n) from got), array(select n::text from generate_series(1, 120) n), 'each event once, in order');
select is((select queue_ntables from pgtq.queue), 3, 'three tables were enough');

-- a rotation in the transaction of the insert: before and after it
begin;
select pgtq.insert_event('q', 't', 'a');
select queue_cur_table as old from pgtq.get_queue_info('q') \gset
select pgtq.ticker('q');
commit;
call rotate();
begin;
select pgtq.insert_event('q', 't', 'b');
select pgtq.maint_rotate_tables_step1('q');
select pgtq.insert_event('q', 't', 'c');
select pgtq.maint_rotate_tables_step2();
select pgtq.insert_event('q', 't', 'd');
commit;
select pgtq.ticker('q');
select is(drain('q', 'c'), array['a', 'b', 'c', 'd'], 'both steps in the transaction of the events');

-- a batch over two tables
select pgtq.insert_event('q', 't', 'e');
call rotate();
select pgtq.insert_event('q', 't', 'f');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select is(datas(:batch), array['e', 'f'], 'a batch over two tables');
call rotate();
call rotate();
select is(datas(:batch), array['e', 'f'], 'an open batch survives rotations');
select is((select array_agg(ev_data) from pgtq.get_batch_cursor(:batch, 'cur', 9)), array['e', 'f'], 'through a cursor, too');
select is(pgtq.batch_retry(:batch, 3600), 2, 'and retried');
select pgtq.finish_batch(:batch);

-- a direct write into a table that is not the current one
select pgtq.ticker('q');
select queue_cur_table as cur, (queue_cur_table + 1) % 3 as other from pgtq.get_queue_info('q') \gset
insert into pgtq.event_1_0 (ev_time, ev_data) values (now(), 'direct 0');
insert into pgtq.event_1_1 (ev_time, ev_data) values (now(), 'direct 1');
insert into pgtq.event_1_2 (ev_time, ev_data) values (now(), 'direct 2');
call rotate();
call rotate();
select pgtq.ticker('q');
call rotate();
select is(drain('q', 'c'), array['direct 0', 'direct 1', 'direct 2'], 'direct writes into any table are delivered');

-- a transaction that wrote before a rotation and commits after others
\set gid :DBNAME '_delivery'
select pgtq.ticker('q');
begin;
select pgtq.insert_event('q', 't', 'prepared');
prepare transaction :'gid';
call rotate();
select pgtq.insert_event('q', 't', 'x');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['x'], 'a transaction runs');
select pgtq.ticker('q');
call rotate();
select pgtq.insert_event('q', 't', 'y');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['y'], 'it still runs, and the ring turns');
commit prepared :'gid';
call rotate();
select pgtq.ticker('q');
call rotate();
select is(drain('q', 'c'), array['prepared'], 'it has ended');
select * from finish();
