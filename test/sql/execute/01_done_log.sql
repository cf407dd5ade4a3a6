-- maint_rotate_tables_step2() turns the done log, and keeps what the executor may need.
select plan(16);
\ir ../common.psql
select pgtq.create_queue('q'), pgtq.attach_executor('q'), always_tick('q');
select queue_executor as sub from pgtq.queue where queue_name = 'q' \gset
create function cur() returns bigint as $$ select pgtq.seq_getval('pgtq.done_cur_seq'); $$ language sql;
create function rows_in(n integer) returns bigint as $$
declare
    _count bigint;
begin
    execute format('select count(*) from pgtq.done_%s', n) into _count;
    return _count;
end;
$$ language plpgsql;
-- more than a megabyte of what nobody needs, in the current table
create procedure fill() as $$
begin
    execute format('insert into pgtq.done_%s select 0, n, false, array_fill(1::bigint, array[60]) from generate_series(1, 2500) n', cur());
    commit;
end;
$$ language plpgsql;

select is(pgtq.maint_rotate_tables_step2(), 0, 'a short log');
select is(cur(), 0::bigint, 'is not turned');
insert into pgtq.done_0 values (:sub, 1000, false, '{1}');
call fill();
select ok(exists (select from pgtq.maint_operations() where func_name = 'pgtq.maint_rotate_tables_step2'), 'there is something to do');
select pgtq.maint_rotate_tables_step2();
select is(cur(), 1::bigint, 'a long log moves on');
call fill();
select pgtq.maint_rotate_tables_step2();
select is(cur(), 2::bigint, 'and on');
select ok(rows_in(0) > 0, 'a mark beyond the position is kept');
call fill();
select pgtq.maint_rotate_tables_step2();
select is(rows_in(1), 0::bigint, 'what nobody needs is truncated');
select ok(rows_in(0) > 0, 'the other is still kept');
select pgtq.maint_rotate_tables_step2();
select is(cur(), 1::bigint, 'and its table used again');

-- the position passes it, but a timer that came with the same tick is carried
delete from pgtq.done_0 where dn_sub = :sub;
insert into pgtq.done_0 values (:sub, 1, false, '{1}');
insert into pgtq.carried (ev_id, ev_time, ev_txid, ca_sub, ca_tick) values (2, now(), '1', :sub, 1);
call fill();
select pgtq.maint_rotate_tables_step2();
select ok(rows_in(0) > 0, 'a mark of the tick of a carried timer is kept');
select matches((error_of($$select pgtq.detach_executor('q')$$))[2], 'timers that are due', 'with which the executor is not detached');
delete from pgtq.carried;
select pgtq.maint_rotate_tables_step2();
select pgtq.maint_rotate_tables_step2();
select is(rows_in(0), 0::bigint, 'without it is not');
select matches((error_of($$select pgtq.next_batch('q', 'pgtq.executor')$$))[2], 'reserved', 'nobody consumes as the executor');
select is(pgtq.detach_executor('q'), 1, 'detached');

-- somebody else may move the position on, and the tables turn, while one looks for what is not done
select is((select count(*) from pgtq._undone(:sub, (select queue_id from pgtq.queue where queue_name = 'q'),
                                             (select queue_data_pfx from pgtq.queue where queue_name = 'q'), 0, 1, null, 1)),
          0::bigint, 'nothing is found from a tick that is gone');
select pgtq.attach_executor('q');
update pgtq.position_0 set pos_last_tick = 0 where pos_sub = (select queue_executor from pgtq.queue where queue_name = 'q');
select is((error_of($$select pgtq._undone(queue_executor, queue_id, queue_data_pfx, 0, 1, null, 1) from pgtq.queue where queue_name = 'q'$$))[1],
          'XX001', 'but a position on such a tick is an error');
select * from finish();
