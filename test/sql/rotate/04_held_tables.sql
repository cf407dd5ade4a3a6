-- A transaction that stays open does not stop the rotation, though all consumers are past it;
-- where it holds the oldest table, the ring grows, and shrinks again.
select plan(21);
\ir ../common.psql
\set gid :DBNAME '_held'
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');
select queue_data_pfx as pfx, queue_id as id from pgtq.queue \gset
update pgtq.queue set queue_rotation_period = '0';
create temp table got (n serial, data text);
create temp table way (n serial, cur integer, ntables integer);
create procedure produce(i_from integer, i_to integer) as $$
begin
    for _i in i_from .. i_to loop
        perform pgtq.insert_event('q', 't', _i::text);
        commit;
        perform pgtq.ticker('q');
        commit;
        insert into got (data) select unnest(drain('q', 'c'));
        commit;
        for _j in 1 .. 3 loop
            exit when pgtq.maint_rotate_tables_step1('q') = 0;
            commit;
        end loop;
        insert into way (cur, ntables) select queue_cur_table, queue_ntables from pgtq.queue;
        commit;
    end loop;
end;
$$ language plpgsql;

-- a transaction with an id that has not to do with the queue
create table unrelated (x integer);
begin;
insert into unrelated values (1);
prepare transaction :'gid';
call produce(1, 12);
commit prepared :'gid';
select is((select count(distinct cur) from way), 3::bigint, 'an open transaction: the ring turns');
select is((select max(ntables) from way), 3, 'with three tables');
select cmp_ok((select count(*) from pgtq.event_template), '<', 6::bigint, 'and tables are truncated');
select is((select array_agg(data order by n) from got), array(select n::text from generate_series(1, 12) n), 'each event once');
truncate got, way;

-- a writer that does not commit holds a table
begin;
select pgtq.insert_event('q', 't', 'held');
prepare transaction :'gid';
call produce(1, 12);
select ok((select max(ntables) > 3 from way), 'a table is held: the ring grows');
select ok((select count(distinct cur) >= 3 from way), 'and turns');
select is((select array_agg(data order by n) from got), array(select n::text from generate_series(1, 12) n), 'each event once');
select queue_ntables as ntables from pgtq.queue \gset
select has_table('pgtq', format('event_%s_3', :id), 'a fourth table of events');
select has_table('pgtq', format('tick_%s_3', :id), 'and of ticks');
select ok(has_table_privilege('pgtq_reader', format('%s_3', :'pfx'), 'select'), 'with the same privileges');
select is(count(*), 3::bigint, 'and indexes') from pg_index where indrelid in (format('pgtq.event_%s_3', :id)::regclass, format('pgtq.tick_%s_3', :id)::regclass);
select pgtq.insert_event('q', 't', 'x');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select is((select count(*) from pgtq.batch_event_tables(:batch)), :ntables::bigint, 'batches look into all tables');
select is(datas(:batch), array['x'], 'and find their events');
select pgtq.finish_batch(:batch);
commit prepared :'gid';
select pgtq.ticker('q');
select is(drain('q', 'c'), array['held'], 'the held event is delivered when it is committed');
truncate got, way;
call produce(1, 20);
select is((select array_agg(data order by n) from got), array(select n::text from generate_series(1, 20) n), 'each event once');
select is(queue_ntables, 3, 'the ring has shrunk again') from pgtq.queue;
select hasnt_table('pgtq', format('event_%s_3', :id), 'the fourth table is gone');
select hasnt_table('pgtq', format('tick_%s_3', :id), 'with its ticks');

-- a queue whose ring has grown is dropped whole
begin;
select pgtq.insert_event('q', 't', 'held');
prepare transaction :'gid';
call produce(1, 6);
rollback prepared :'gid';
select ok(queue_ntables > 3, 'grown again') from pgtq.queue;
select is(pgtq.drop_queue('q', true), 1, 'dropped');
select is((select count(*) from pg_class where relname ~ format('^(event|tick)_%s(_|$)', :id)), 0::bigint, 'all tables are gone');
select * from finish();
