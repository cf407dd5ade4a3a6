-- The steps in one transaction, rolled back, and under other isolation levels.
select plan(17);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');
update pgtq.queue set queue_rotation_period = '0';

-- both steps in one transaction
select pgtq.insert_event('q', 't', '1');
begin;
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'step 1');
select is(pgtq.maint_rotate_tables_step2(), 0, 'step 2 in the same transaction');
commit;
select pgtq.insert_event('q', 't', '2');
select pgtq.ticker('q');
begin;
select pgtq.maint_rotate_tables_step1('q'), pgtq.maint_rotate_tables_step2();
select pgtq.maint_rotate_tables_step1('q'), pgtq.maint_rotate_tables_step2();
select pgtq.maint_rotate_tables_step1('q'), pgtq.maint_rotate_tables_step2();
commit;
select pgtq.insert_event('q', 't', '3');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['1', '2', '3'], 'nothing is lost');

-- step 1 without step 2, many times
do $$
begin
    for _i in 1 .. 8 loop
        perform pgtq.insert_event('q', 't', _i::text);
        commit;
        perform pgtq.ticker('q');
        commit;
        perform pgtq.maint_rotate_tables_step1('q');
        commit;
    end loop;
end
$$;
select is(drain('q', 'c'), array(select n::text from generate_series(1, 8) n), 'step 2 never runs: nothing is lost');

-- rolled back: moving on
select pgtq.insert_event('q', 't', 'a');
select pgtq.ticker('q');
begin;
select pgtq.maint_rotate_tables_step1('q');
rollback;
select pgtq.insert_event('q', 't', 'b');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['a', 'b'], 'step 1 rolled back: nothing is lost');
begin;
select pgtq.insert_event('q', 't', 'c');
select pgtq.maint_rotate_tables_step1('q');
select pgtq.insert_event('q', 't', 'gone');
rollback;
select pgtq.insert_event('q', 't', 'd');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['d'], 'with events in the transaction');

-- rolled back: truncating.  Fill all tables, read them, truncate, roll back, read again.
select max(tick_id) as tick from pgtq.tick \gset
do $$
begin
    for _i in 1 .. 6 loop
        perform pgtq.insert_event('q', 't', 'x' || _i);
        commit;
        perform pgtq.ticker('q');
        commit;
        perform pgtq.maint_rotate_tables_step1('q');
        commit;
    end loop;
end
$$;
begin;
select drain('q', 'c');
select pgtq.maint_rotate_tables_step1('q');
select pgtq.maint_rotate_tables_step1('q');
select pgtq.maint_rotate_tables_step1('q');
select pgtq.insert_event('q', 't', 'gone');
rollback;
select pgtq.insert_event('q', 't', 'x7');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7'], 'truncating rolled back: nothing is lost');
do $$
begin
    for _i in 1 .. 6 loop
        perform pgtq.insert_event('q', 't', 'y' || _i);
        commit;
        perform pgtq.ticker('q');
        commit;
        perform pgtq.maint_rotate_tables_step1('q');
        commit;
    end loop;
end
$$;
select is(drain('q', 'c'), array['y1', 'y2', 'y3', 'y4', 'y5', 'y6'], 'and the rotation goes on');
select is(queue_cur_table, (select queue_cur_table from pgtq.get_queue_info('q')), 'the column and the sequence agree again') from pgtq.queue;

-- called again and again in one transaction, it comes to an end
select drain('q', 'c');
create function calls_until_0() returns integer as $$
begin
    for _n in 1 .. 20 loop
        if pgtq.maint_rotate_tables_step1('q') = 0 then
            return _n;
        end if;
    end loop;
    return null;
end;
$$ language plpgsql;
do $$
begin
    for _i in 1 .. 4 loop
        perform pgtq.insert_event('q', 't', 'z');
        commit;
        perform pgtq.ticker('q');
        commit;
        perform pgtq.maint_rotate_tables_step1('q');
        commit;
    end loop;
    perform drain('q', 'c');
end
$$;
select isnt(calls_until_0(), null, 'a loop in one transaction ends');
select is((select queue_ntables from pgtq.queue), 3, 'and adds no tables');

-- savepoints
begin;
select pgtq.insert_event('q', 't', 'kept');
savepoint s;
select pgtq.maint_rotate_tables_step1('q');
rollback to s;
select pgtq.insert_event('q', 't', 'kept too');
commit;
select pgtq.ticker('q');
select is(drain('q', 'c'), array['kept', 'kept too'], 'a savepoint rolled back');

-- other isolation levels are refused
begin isolation level repeatable read;
select error_of($$select pgtq.maint_rotate_tables_step1('q')$$) as step1, error_of($$select pgtq.maint_rotate_tables_step2()$$) as step2 \gset
commit;
begin isolation level serializable;
select error_of($$select pgtq.maint_rotate_tables_step1('q')$$) as serial \gset
commit;
select is((:'step1'::text[])[1:3], array['25000', 'pgtq.maint_rotate_tables_step1 must run under READ COMMITTED', 'The transaction is REPEATABLE READ.'], 'step 1 under REPEATABLE READ');
select is((:'step2'::text[])[1:2], array['25000', 'pgtq.maint_rotate_tables_step2 must run under READ COMMITTED'], 'step 2 under REPEATABLE READ');
select is((:'serial'::text[])[1:3], array['25000', 'pgtq.maint_rotate_tables_step1 must run under READ COMMITTED', 'The transaction is SERIALIZABLE.'], 'step 1 under SERIALIZABLE');
select is((:'serial'::text[])[4], 'Call it in a transaction of its own.', 'the hint');
begin isolation level read uncommitted;
select ok(error_of($$select pgtq.maint_rotate_tables_step1('q')$$) is null, 'READ UNCOMMITTED is READ COMMITTED');
commit;
select * from finish();
