-- maint_rotate_tables_step2() turns the position log; consumers go on where they were.
select plan(38);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q');
select pgtq.register_consumer('q', c) from unnest(array['busy', 'open', 'asleep', 'gone']) c;
select pgtq.insert_event('q', 't', n::text) from generate_series(1, 3) n;
select pgtq.ticker('q');
select pgtq.insert_event('q', 't', '4');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'open') as batch \gset
create function log_size() returns numeric as $$
    select sum(pg_relation_size(('pgtq.position_' || n)::regclass)) from generate_series(0, 2) n;
$$ language sql;
create function cur() returns bigint as $$ select pgtq.seq_getval('pgtq.position_cur_seq'); $$ language sql;
create view state as
    select co_name, sub_last_tick, sub_batch, sub_next_tick, sub_active
      from pgtq.subscription join pgtq.consumer on co_id = sub_consumer;

select is(cur(), 0::bigint, 'the first table');
set pgtq.truncate_patience = 0;
select is(pgtq.maint_rotate_tables_step2(), 0, 'a short log');
select is(cur(), 0::bigint, 'is not turned');

-- more than 64 kB
create procedure fill() as $$
begin
    for _i in 1 .. 700 loop
        perform pgtq.register_consumer_at('q', 'busy', 1);
        perform pgtq.finish_batch(pgtq.next_batch('q', 'busy'));
        commit;
    end loop;
end;
$$ language plpgsql;
call fill();
select cmp_ok(log_size(), '>', 65536::numeric, 'a long log');
create temp table before as select * from state;

set pgtq.truncate_patience = 600;
select pgtq.maint_rotate_tables_step2();
select is(cur(), 0::bigint, 'within truncate_patience it is not turned');
select ok('pgtq.maint_rotate_tables_step2' <> all (array(select func_name from pgtq.maint_operations())), 'nor listed by maint_operations');
set pgtq.truncate_patience = 0;
select ok('pgtq.maint_rotate_tables_step2' = any (array(select func_name from pgtq.maint_operations())), 'then it is listed');
select is(pgtq.maint_rotate_tables_step2(), 0, 'and turned');
select is(cur(), 1::bigint, '0 -> 1');
select is((select count(*) from pgtq.position_1 where pos_sub > 0), 4::bigint, 'the last positions are copied');
select cmp_ok((select count(*) from pgtq.position_0), '>', 1400::bigint, 'the old rows stay for a turn');
select results_eq('select * from state order by 1', 'select * from before order by 1', 'everybody is where he was');
select is(pgtq.next_batch('q', 'open'), :batch::bigint, 'the open batch is open');
select is(datas(:batch), array['1', '2', '3'], 'and is read');
select pgtq.unregister_consumer('q', 'gone');

select pgtq.maint_rotate_tables_step2();
select is(cur(), 2::bigint, '1 -> 2');
select is(rows_in('pgtq.position_0'), 0::bigint, 'what was left a turn ago is truncated');
select cmp_ok(log_size(), '<', 65536::numeric, 'the log is short');
select results_eq('select * from state order by 1', $$select * from before where co_name <> 'gone' order by 1$$, 'everybody is where he was');
select is((select queue_name || '/' || consumer_name from pgtq.get_batch_info(:batch)), 'q/open', 'get_batch_info finds the batch');
select is(datas(:batch), array['1', '2', '3'], 'get_batch_events, too');
select is(pgtq.event_retry(:batch, 2, 0), 1, 'event_retry, too');
select pgtq.maint_rotate_tables_step2();
select is(cur(), 2::bigint, 'a short log is not turned');

-- everybody goes on
select is(pgtq.finish_batch(:batch), 1, 'the batch is finished');
select is(pgtq.finish_batch(:batch), 0, 'once');
select is(drain('q', 'open'), array['4'], 'open goes on');
select is(drain('q', 'asleep'), array['1', '2', '3', '4'], 'asleep goes on');
select is(drain('q', 'busy'), array['4'], 'busy goes on');
select is(pgtq.register_consumer('q', 'new'), 1, 'a new one');

-- all the way round, several times, with an open batch
select pgtq.register_consumer_at('q', 'asleep', 1), pgtq.register_consumer_at('q', 'open', 2);
select pgtq.next_batch('q', 'asleep') as batch \gset
create temp table way (n serial, cur bigint);
do $$
begin
    for _i in 1 .. 4 loop
        call fill();
        for _j in 1 .. 2 loop
            perform pgtq.maint_rotate_tables_step2();
            commit;
            insert into way (cur) values (cur());
        end loop;
    end loop;
end
$$;
select is((select array_agg(distinct cur order by cur) from way), array[0, 1, 2]::bigint[], 'all the way round');
select cmp_ok(log_size(), '<', 200000::numeric, 'the log does not grow');
select is(pgtq.next_batch('q', 'asleep'), :batch::bigint, 'the open batch is open');
select is(datas(:batch), array['1', '2', '3'], 'and is read');
select is(drain('q', 'open'), array['4'], 'open is where it was');

-- a turn that is rolled back
call fill();
create temp table before2 as select * from state;
begin;
select pgtq.maint_rotate_tables_step2();
rollback;
select results_eq('select * from state order by 1', 'select * from before2 order by 1', 'rolled back: everybody is where he was');
select is(pgtq.finish_batch(:batch), 1, 'and goes on');
select pgtq.maint_rotate_tables_step2();
select pgtq.maint_rotate_tables_step2();
select results_eq($$select * from state where co_name <> 'asleep' order by 1$$, $$select * from before2 where co_name <> 'asleep' order by 1$$,
                  'after more turns everybody else is still where he was');
select is(drain('q', 'asleep'), array['4'], 'and goes on');
select is((select count(*) from pgtq.position p where pos_sub > 0 and pos_table = cur() and not exists (select from pgtq.subscriber where sub_id = pos_sub)),
          0::bigint, 'nothing is left of who is gone');
select * from finish();
