-- Space is given back: generations that are mostly dead are emptied and truncated.
\ir ../common.psql
select plan(24);
select pgtq.create_queue('q');
create or replace procedure compact_all() as $$
begin
    for i in 1 .. 200 loop
        exit when pgtq.maint_rotate_tables_step2() = 0;
        commit;
    end loop;
    commit;
end;
$$ language plpgsql;
create function pages() returns bigint as $$ select sum(pg_relation_size(format('pgtq.delay_%s', gen_n)::regclass) / 8192)::bigint from pgtq.generation $$ language sql;

-- a table of timers that all live is left alone
select cardinality(pgtq.schedule_many(array_fill(now() + interval '1 year', array[60000]), array_fill(repeat('x', 100), array[60000])));
select cmp_ok(pages(), '>', 1024::bigint, 'more than 8 MB');
call compact_all();
select is((select last_value from pgtq.delay_cur_seq), 0::bigint, 'nothing to do');
select is((select sum(gen_copied) from pgtq.generation), 0::numeric, 'nothing was copied');
select is((select count(*) from pgtq.maint_operations() where func_name ~ 'step2'), 0::bigint, 'nothing to call');

-- most of it cancelled: what lives is copied, once, and the rest goes
delete from pgtq.delay where ev_timer % 60 <> 0;       -- faster than to cancel each
select is((select count(*) from pgtq.delay), 1000::bigint, 'one in sixty lives');
select is((select count(*) from pgtq.maint_operations() where func_name ~ 'step2'), 1::bigint, 'now there is');
call compact_all();
select isnt((select last_value from pgtq.delay_cur_seq), 0::bigint, 'the store has moved on');
select is((select count(distinct ev_timer) from pgtq.delay), 1000::bigint, 'they live');
select is((select sum(gen_copied) from pgtq.generation), 1000::numeric, 'and were copied once');
select is((select array_agg(gen_state order by gen_state) from pgtq.generation), array['free', 'open', 'open'], 'the old table is free');
select is(pg_relation_size('pgtq.delay_0'), 0::bigint, 'and empty');

-- they are found, moved, cancelled where they are now
select is(pgtq.cancel(60), true, 'cancel finds a copy');
select is(pgtq.reschedule(120, now()), true, 'reschedule, too');
select is((select moved from pgtq._move_due(100)), 1, 'it is due');

-- a far timer is not copied again and again by what passes by
create or replace procedure pass_by(i_rounds integer) as $$
begin
    for i in 1 .. i_rounds loop
        perform pgtq.schedule_many(array_fill(now(), array[60000]), array_fill(repeat('y', 100), array[60000]));
        commit;
        perform pgtq._move_due(100000);
        commit;
        for j in 1 .. 50 loop
            exit when pgtq.maint_rotate_tables_step2() = 0;
            commit;
        end loop;
        commit;
    end loop;
end;
$$ language plpgsql;
call pass_by(5);
select is((select count(*) from pgtq.delay), 998::bigint, 'they still live');
select cmp_ok((select sum(gen_copied) from pgtq.generation), '<=', 3000::numeric, 'and were copied at most thrice each, while 300 times as many passed by');
select cmp_ok(pages(), '<', 3000::bigint, 'the store is small');
select is((select count(*) from pgtq.generation where gen_state = 'emptied'), 0::bigint, 'and what is empty was given back');

select is((select count(*) from pgtq.generation), 3::bigint, 'three tables were enough');

-- what of a transaction id has 32 bits is the one nearest to the newest: 2^34 is the first of the fifth epoch
select is(pgtq._near_xid8('17', '17179869184'), 17179869201::bigint, 'newer than the newest that we knew');
select is(pgtq._near_xid8('4294967295', '17179869184'), 17179869183::bigint, 'older, from the epoch before');
select is(pgtq._near_xid8('3', '17179869183'), 17179869187::bigint, 'newer, from the next epoch');
select is(pgtq._near_xid8('900', '1000'), 900::bigint, 'older');
select cmp_ok(pgtq._oldest_snapshot(), '<=', pg_snapshot_xmax(pg_current_snapshot()), 'no snapshot of the future');
select * from finish();
