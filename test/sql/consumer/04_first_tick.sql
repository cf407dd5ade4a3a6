-- A consumer is not moved back behind events that were truncated, even where the tick is there.
select plan(4);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q');
select is(queue_first_tick, 1::bigint, 'at first nothing is truncated') from pgtq.queue;
select pgtq.set_queue_config('q', 'rotation_period', '0');
select pgtq.ticker('q');
select pgtq.maint_rotate_tables_step1('q');
select pgtq.ticker('q');
select pgtq.maint_rotate_tables_step1('q');
select queue_first_tick as first from pgtq.queue \gset
select is(:first, 3, 'the slowest tick when a table was truncated');

-- the tick before is gone with its table; this one is not, but events after it may be
select pgtq.ticker('q');
update pgtq.queue set queue_first_tick = 4;
select throws_ok($$select pgtq.register_consumer_at('q', 'c', 3)$$, '42704', 'cannot reposition, tick not found: 3', 'too far back');
select is(pgtq.register_consumer_at('q', 'c', 4), 1, 'as far as events are all there');
select * from finish();
