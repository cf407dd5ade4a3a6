-- maint_operations() and maint_tables_to_vacuum().
select plan(20);
\ir ../common.psql
create function operations() returns text[] as $$
    select array(select func_name || coalesce('(' || func_arg || ')', '') from pgtq.maint_operations());
$$ language sql;
select results_eq($$select unnest(proargnames) collate "default", unnest(proallargtypes)::regtype::text from pg_proc where oid = 'pgtq.maint_operations()'::regprocedure$$,
                  $$values ('func_name', 'text'), ('func_arg', 'text')$$, 'columns');
select is(operations(), '{}', 'no queues');
select pgtq.create_queue('b'), pgtq.create_queue('a');
select is(operations(), '{}', 'nothing is due');

update pgtq.queue set queue_rotation_period = '0' where queue_name = 'b';
select is(operations(), array['pgtq.maint_rotate_tables_step1(b)', 'pgtq.maint_rotate_tables_step2'], 'one rotation is due, and step 2');
update pgtq.queue set queue_switch_time = now() - interval '3 hours' where queue_name = 'a';
select is(operations(), array['pgtq.maint_rotate_tables_step1(a)', 'pgtq.maint_rotate_tables_step1(b)', 'pgtq.maint_rotate_tables_step2'], 'both, by name');
select is((select func_arg from pgtq.maint_operations() where func_name like '%step2'), null, 'step 2 has no argument');
update pgtq.queue set queue_rotation_period = '10 hours';
select is(operations(), '{}', 'not due any more');
update pgtq.queue set queue_switch_step2 = null where queue_name = 'a';
select is(operations(), array['pgtq.maint_rotate_tables_step2'], 'step 2 is still to come');
update pgtq.queue set queue_switch_step2 = 1;

select pgtq.set_queue_config('b', 'extra_maint', '{s.z,s.y}');
select pgtq.set_queue_config('a', 'extra_maint', '{s.x}');
select is(operations(), array['s.x(a)', 's.z(b)', 's.y(b)'], 'extra_maint, by queue, in its order');
update pgtq.queue set queue_rotation_period = '0' where queue_name = 'a';
select is(operations(), array['pgtq.maint_rotate_tables_step1(a)', 'pgtq.maint_rotate_tables_step2', 's.x(a)', 's.z(b)', 's.y(b)'], 'extra_maint comes after the rotation');
select pgtq.set_queue_config('b', 'extra_maint', '{}');
select is((select count(*) from pgtq.maint_operations() where func_name like 's.%'), 1::bigint, 'an empty list');

-- what is listed can be called
select pgtq.set_queue_config('a', 'extra_maint', null);
create temp table calls (what text);
create procedure run_all() as $$
declare
    _op     record;
    _again  integer;
begin
    for _op in select * from pgtq.maint_operations() loop
        for _try in 1 .. 10 loop
            execute case when _op.func_arg is null then format('select %s()', _op.func_name)
                         else format('select %s(%L)', _op.func_name, _op.func_arg) end into _again;
            insert into calls values (_op.func_name || ' ' || _again);
            commit;
            exit when _again = 0;
        end loop;
    end loop;
end;
$$ language plpgsql;
select always_tick('a'), pgtq.register_consumer('a', 'c');
select pgtq.ticker('a');
call run_all();
select is(array(select what from calls), array['pgtq.maint_rotate_tables_step1 0', 'pgtq.maint_rotate_tables_step2 0'], 'both steps are called');
select is(queue_cur_table, 1, 'the queue is rotated') from pgtq.queue where queue_name = 'a';
select isnt(queue_switch_step2, null, 'both steps') from pgtq.queue where queue_name = 'a';
-- a function that returns other than 0 is called again
select pgtq.ticker('a');
call run_all();
select is(queue_cur_table, 2, 'rotated again, all tables are in use') from pgtq.queue where queue_name = 'a';
select pgtq.ticker('a');
select pgtq.register_consumer_at('a', 'c', (select max(tick_id) from pgtq.tick join pgtq.queue on queue_id = tick_queue where queue_name = 'a'));
truncate calls;
call run_all();
select is(array(select what from calls), array['pgtq.maint_rotate_tables_step1 1', 'pgtq.maint_rotate_tables_step1 0', 'pgtq.maint_rotate_tables_step2 0'],
          'step 1 truncates, and is called again to move on');
select is(queue_cur_table, 0, 'it has moved on') from pgtq.queue where queue_name = 'a';

-- vacuum: only on a server whose autovacuum is off
select is(current_setting('autovacuum'), 'on', 'autovacuum is on here');
select is((select count(*) from pgtq.maint_tables_to_vacuum()), 0::bigint, 'so nothing needs a vacuum');
select is((select count(*) from pgtq.maint_operations() where func_name = 'vacuum'), 0::bigint, 'and none is listed');
select * from finish();
