-- current_event_table(): the name, the lock, and writing there directly.
select plan(10);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');
select queue_data_pfx as pfx from pgtq.queue \gset

select throws_ok($$select pgtq.current_event_table('none')$$, '42704', 'Event queue not found', 'unknown');
select throws_ok($$select pgtq.current_event_table(null)$$, '42704', 'Event queue not found', 'null');
select is((error_of($$select pgtq.current_event_table('none')$$))[3], 'Queue: none', 'its detail');
select is(pgtq.current_event_table('q'), :'pfx' || '_0', 'the first table');

create view locks as
    select mode, relation::regclass::text as name from pg_locks
     where pid = pg_backend_pid() and locktype = 'relation' and granted
       and relation = any (array(select inhrelid from pg_inherits where inhparent = 'pgtq.event_1'::regclass));
select is((select count(*) from locks), 0::bigint, 'no lock before');
begin;
select pgtq.current_event_table('q') as events \gset
select results_eq('select mode, name from locks', format($$values ('RowExclusiveLock', %L)$$, :'pfx' || '_0'),
                  'it is locked for writing until the transaction ends');
insert into :events (ev_time, ev_type, ev_data) values (now(), 't', 'insert');
copy pgtq.event_1_0 (ev_time, ev_type, ev_data) from stdin;
2020-01-01 00:00:00+00	t	copy 1
2020-01-01 00:00:00+00	t	copy 2
\.
commit;
select is((select count(*) from locks), 0::bigint, 'no lock after');

begin;
select pgtq.insert_event('q', 't', 'function');
select ok(exists (select from locks where mode = 'RowExclusiveLock' and name = :'pfx' || '_0'),
          'insert_event takes the same lock');
commit;

select pgtq.ticker('q');
select is(drain('q', 'c'), array['insert', 'copy 1', 'copy 2', 'function'], 'direct writes are delivered');

-- it follows the rotation
update pgtq.queue set queue_rotation_period = '0';
select pgtq.maint_rotate_tables_step1('q');
select is(pgtq.current_event_table('q'), :'pfx' || '_1', 'after a rotation');
select * from finish();
