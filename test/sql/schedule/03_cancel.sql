-- cancel, cancel_many, reschedule.
\ir ../common.psql
select plan(25);
select array_agg(pgtq.schedule_in('1 hour', 'select ' || n, shard_key => n)) as ids from generate_series(1, 6) n \gset

select is(pgtq.cancel(1), true, 'cancelled');
select is(pgtq.cancel(1), false, 'only once');
select is(pgtq.cancel(2, 2), true, 'with a shard key');
select is(pgtq.cancel(1000), false, 'one that never was');
select is(pgtq.cancel(null), false, 'null');
select results_eq('select id, status, state, action, finished_at is not null, fired_at is null from pgtq.timers where id < 3 order by id',
                  $$values (1::bigint, 3::smallint, 'cancelled'::text, 'select 1'::text, true, true), (2::bigint, 3::smallint, 'cancelled'::text, 'select 2'::text, true, true)$$, 'history');

begin;
select pgtq.cancel(3) as first \gset
select pgtq.cancel(3) as second \gset
rollback;
select is(:'first'::boolean, true, 'in a transaction');
select is(:'second'::boolean, false, 'that sees what it has done');
select is((select state from pgtq.timers where id = 3), 'pending', 'rolled back: it is pending');
begin;
savepoint a;
select pgtq.cancel(3);
rollback to a;
select is(pgtq.cancel(3), true, 'a savepoint that was rolled back');
commit;
select is((select state from pgtq.timers where id = 3), 'cancelled', 'cancelled');

select is(pgtq.cancel_many(array[6, 4, 4, 1, 77, null]), array[4, 6]::bigint[], 'cancel_many: those that were');
select is(pgtq.cancel_many('{}'), '{}'::bigint[], 'cancel_many: none');
select is(pgtq.cancel_many(null), '{}'::bigint[], 'cancel_many: null');

select is(pgtq.reschedule(5, '2100-01-01'), true, 'reschedule');
select results_eq('select id, fire_at, action, state, shard_key from pgtq.timers where id = 5', $$values (5::bigint, '2100-01-01'::timestamptz, 'select 5'::text, 'pending'::text, 5::bigint)$$, 'it has moved');
select is(pgtq.reschedule(1, '2100-01-01'), false, 'reschedule: cancelled');
select is(pgtq.reschedule(1000, '2100-01-01'), false, 'reschedule: never was');
select is((error_of('select pgtq.reschedule(5, null)'))[2], 'the time of a timer must not be NULL', 'reschedule: null');
select is((error_of($$select pgtq.reschedule(5, 'infinity')$$))[2], 'the time of a timer must be finite', 'reschedule: infinity');
select is(pgtq.reschedule(5, now()), true, 'reschedule: now');
select is((select moved from pgtq._move_due(10)), 1, 'then it is due');
select is(pgtq.cancel(5), false, 'what has left the store cannot be cancelled');
select is(pgtq.reschedule(5, '2100-01-01'), false, 'nor moved');
select is((select state from pgtq.timers where id = 5), 'due', 'it is due');
select * from finish();
