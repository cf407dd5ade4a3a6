-- maint_rotate_tables_step2() turns the history: a row is kept for pgtq.history_retention, what is pending for ever.
select plan(11);
\ir ../common.psql
create function cur() returns bigint as $$ select pgtq.seq_getval('pgtq.history_cur_seq'); $$ language sql;
-- as if a time had passed since the current table became so
create procedure elapse(i_time interval) as $$
begin
    execute format('update pgtq.history_%s set hi_finished = hi_finished - $1 where hi_timer = 0', cur()) using i_time;
    commit;
end;
$$ language plpgsql;
create procedure done(i_from bigint) as $$
begin
    execute format('insert into pgtq.history_%s (hi_timer, hi_status, hi_finished) select n, 1, now() from generate_series($1, $1 + 499) n', cur())
        using i_from;
    commit;
end;
$$ language plpgsql;
create function kept(i_from bigint) returns bigint as $$
    select count(*) from pgtq.history where hi_timer between i_from and i_from + 499;
$$ language sql;

select pgtq.schedule_at('2100-01-01', 'select 1') as pending \gset
call done(1000);
select pgtq.maint_rotate_tables_step2();
select is(cur(), 0::bigint, 'a young table stays');
call elapse('25 h');
select ok(exists (select from pgtq.maint_operations() where func_name = 'pgtq.maint_rotate_tables_step2'), 'there is something to do');
select pgtq.maint_rotate_tables_step2();
select is(cur(), 1::bigint, 'after a day it moves on');
select is(kept(1000), 500::bigint, 'and keeps what was there');
call done(2000);
call elapse('23 h');
select pgtq.maint_rotate_tables_step2();
select is(kept(1000), 500::bigint, 'for a day');
call elapse('2 h');
select pgtq.maint_rotate_tables_step2();
select is(cur(), 2::bigint, 'then it moves on');
select is(kept(1000), 0::bigint, 'and truncates it');
select is(kept(2000), 500::bigint, 'but not the next');
set pgtq.history_retention = 3600;
call done(3000);
call elapse('2 h');
select pgtq.maint_rotate_tables_step2();
select is(cur(), 0::bigint, 'pgtq.history_retention says for how long');
select is(kept(2000) + kept(3000), 500::bigint, 'it goes round');
select is((select state from pgtq.timers where id = :pending), 'pending', 'what is pending is not in there');
select * from finish();
