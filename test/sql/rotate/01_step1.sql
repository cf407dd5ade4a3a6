-- maint_rotate_tables_step1(): the way around the ring, and when tables are truncated.
select plan(43);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');
select queue_data_pfx as pfx, queue_id as id from pgtq.queue \gset
create view ring as
    select queue_cur_table as cur,
           array(select rows_in(format('%s_%s', queue_data_pfx, n)) from generate_series(0, queue_ntables - 1) n) as events,
           array(select rows_in(format('pgtq.tick_%s_%s', queue_id, n)) from generate_series(0, queue_ntables - 1) n) as ticks
      from pgtq.queue;

select is(pgtq.maint_rotate_tables_step1('none'), 0, 'unknown queue');
select is(pgtq.maint_rotate_tables_step1(null), 0, 'null');
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'not due');
select is((select cur from ring), 0, 'not due: nothing moves');
update pgtq.queue set queue_switch_time = now() - interval '119 min';
select pgtq.maint_rotate_tables_step1('q');
select is((select cur from ring), 0, 'still not due');
select pgtq.insert_event('q', 't', '1');
select pgtq.ticker('q');
update pgtq.queue set queue_switch_time = now() - interval '121 min';
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'due');
select is((select cur from ring), 1, '0 -> 1');
select results_eq('select queue_switch_step2, queue_switch_time > now() - interval $$1 min$$ from pgtq.queue', 'values (null::bigint, true)', 'the time and the open step 2');
select is(pgtq.seq_getval(:'pfx' || '_cur_seq'), 1::bigint, 'the sequence of the current table');
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'not due again');
select is((select cur from ring), 1, 'so it stays');
select is(pgtq.maint_rotate_tables_step2(), 0, 'step 2');
select isnt((select queue_switch_step2 from pgtq.queue), null, 'it is noted');

update pgtq.queue set queue_rotation_period = '0';
select is((select events from ring), '{1,0,0}', 'the event is in table 0');
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'a table without a tick is not left, for it has no age yet')
 where rows_in(format('pgtq.tick_%s_1', :id)) = 0 and pgtq.insert_event('q', 't', '2') = 2;
select is((select cur from ring), 1, 'so it stays');
select pgtq.ticker('q');
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'on');
select is((select cur from ring), 2, '1 -> 2');
select pgtq.insert_event('q', 't', '3');
select pgtq.ticker('q');
select is((select events from ring), '{1,1,1}', 'an event in each table');
select is((select ticks from ring), '{2,1,1}', 'and its ticks');

-- the consumer is slow: nothing is truncated, nothing moves
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'a slow consumer');
select is((select cur from ring), 2, 'the ring stays');
select is((select events from ring), '{1,1,1}', 'data are kept');
select pgtq.insert_event('q', 't', '4');
select is((select events from ring), '{1,1,2}', 'events go on into the current table');
select pgtq.finish_batch(pgtq.next_batch('q', 'c'));
select is((select last_tick from pgtq.get_consumer_info('q', 'c')), 2::bigint, 'the consumer has read table 0, but stands at its last tick');
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'which is needed');
select is((select events from ring), '{1,1,2}', 'data are kept');
select pgtq.finish_batch(pgtq.next_batch('q', 'c'));

-- past table 0
select relfilenode as node from pg_class where oid = (:'pfx' || '_0')::regclass \gset
select is(pgtq.maint_rotate_tables_step1('q'), 1, 'past table 0: it is truncated, and wants to be called again');
select is((select events from ring), '{0,1,2}', 'only that one');
select is((select ticks from ring), '{0,1,1}', 'with its ticks');
select is((select cur from ring), 2, 'not yet moved on');
select isnt(relfilenode::text, :'node', 'by TRUNCATE') from pg_class where oid = (:'pfx' || '_0')::regclass;
select is(pgtq.maint_rotate_tables_step1('q'), 0, 'called again');
select is((select cur from ring), 0, '2 -> 0');
select pgtq.insert_event('q', 't', '5');
select pgtq.ticker('q');
select is(drain('q', 'c'), array['3', '4', '5'], 'the rest is there');
select is(pgtq.maint_rotate_tables_step1('q'), 1, 'all read: truncated');
select is((select events from ring), '{1,0,0}', 'both old tables at once');
select pgtq.maint_rotate_tables_step1('q');
select is((select cur from ring), 1, '0 -> 1');

-- moving back to a tick that is truncated is refused
select throws_ok($$select pgtq.register_consumer_at('q', 'c', 1)$$, '42704', 'cannot reposition, tick not found: 1', 'a tick that is gone');

-- two consumers: the slowest counts
select pgtq.ticker('q');
select pgtq.register_consumer('q', 'slow');
do $$
begin
    for _i in 1 .. 10 loop
        perform pgtq.insert_event('q', 't', 'more ' || _i);
        commit;
        perform pgtq.ticker('q');
        commit;
        perform drain('q', 'c');
        commit;
        perform pgtq.maint_rotate_tables_step1('q');
        commit;
    end loop;
end
$$;
select is(drain('q', 'slow'), array(select 'more ' || n from generate_series(1, 10) n), 'nothing is lost for the slow one');
select pgtq.unregister_consumer('q', c) from unnest(array['c', 'slow']) c;

-- without consumers
select pgtq.create_queue('none'), always_tick('none');
update pgtq.queue set queue_rotation_period = '0';
create temp table way (n serial, cur integer, events bigint);
do $$
begin
    for _i in 1 .. 12 loop
        perform pgtq.insert_event('none', 't', 'd');
        commit;
        perform pgtq.ticker('none');
        commit;
        perform pgtq.maint_rotate_tables_step1('none');
        commit;
        insert into way (cur, events) select queue_cur_table, (select count(*) from pgtq.event_template e join pg_inherits on inhrelid = e.tableoid
            and inhparent = queue_data_pfx::regclass) from pgtq.queue where queue_name = 'none';
        commit;
    end loop;
end
$$;
select is((select count(distinct cur) from way), 3::bigint, 'a queue without consumers rotates');
select ok((select max(events) <= 4 from way), 'and keeps only a few events');
select is(queue_ntables, 3, 'in three tables') from pgtq.queue where queue_name = 'none';
select * from finish();
