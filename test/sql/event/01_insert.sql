-- insert_event(): both forms, their parameters, what is stored.
begin;
select plan(31);
\ir ../common.psql
select pgtq.create_queue('q');
select queue_data_pfx || '_0' as events, queue_event_seq as seq from pgtq.queue \gset

select is(pgtq.insert_event('q', 'type', 'data'), 1::bigint, 'the first id');
select is(pgtq.insert_event('q', 'type7', 'data7', 'e1', 'e2', 'e3', 'e4'), 2::bigint, 'the second id');
select is(pgtq.insert_event('q', null, null), 3::bigint, 'null type and data');
select is(pgtq.insert_event('q', null, null, null, null, null, null), 4::bigint, 'nulls everywhere');
select is(pgtq.insert_event('q', '', ''), 5::bigint, 'empty strings');
select is(pgtq.insert_event(queue_name => 'q', ev_type => 'named', ev_data => 'n3'), 6::bigint, 'names of three parameters');
select is(pgtq.insert_event(ev_extra4 => '4', ev_extra3 => '3', ev_extra2 => '2', ev_extra1 => '1',
                            ev_data => 'n7', ev_type => 'named', queue_name => 'q'), 7::bigint, 'names of seven parameters');

select results_eq(
    $$select ev_id, ev_owner, ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4
        from pgtq.event_template order by ev_id$$,
    $$values (1::bigint, null::integer, null::integer, 'type', 'data', null, null, null, null),
             (2, null, null, 'type7', 'data7', 'e1', 'e2', 'e3', 'e4'),
             (3, null, null, null, null, null, null, null, null),
             (4, null, null, null, null, null, null, null, null),
             (5, null, null, '', '', null, null, null, null),
             (6, null, null, 'named', 'n3', null, null, null, null),
             (7, null, null, 'named', 'n7', '1', '2', '3', '4')$$, 'what is stored');
select is(rows_in(:'events'), 7::bigint, 'all in the current table');
select is((select array_agg(distinct ev_time) from pgtq.event_template), array[now()], 'ev_time is now()');
select is((select array_agg(distinct ev_txid) from pgtq.event_template), array[pg_current_xact_id()],
          'ev_txid is that of the transaction');

-- in a savepoint ev_txid is still that of the whole transaction
savepoint s;
select pgtq.insert_event('q', 't', 'in a savepoint');
release s;
select is(ev_txid, pg_current_xact_id(), 'ev_txid in a savepoint') from pgtq.event_template where ev_data = 'in a savepoint';
savepoint s;
select pgtq.insert_event('q', 't', 'rolled back');
rollback to s;
select is((select count(*) from pgtq.event_template where ev_data = 'rolled back'), 0::bigint, 'rolled back with its savepoint');
select is(pgtq.seq_getval(:'seq'), 9::bigint, 'its id is used up');

-- odd values
select pgtq.insert_event('q', 'odd', E'\\x\n\t''"%s$1 ☃ 日本 \U0001F600');
select throws_ok($$select pgtq.insert_event('q', 'odd', 'x', 'y')$$, '42883', null, 'there is no form of four arguments');
select results_eq($$select ev_data from pgtq.event_template where ev_type = 'odd'$$,
                  $$values (E'\\x\n\t''"%s$1 ☃ 日本 \U0001F600')$$, 'it is stored as it is');

-- errors
select throws_ok($$select pgtq.insert_event('none', 't', 'd')$$, '42704', 'No such queue', 'unknown queue');
select throws_ok($$select pgtq.insert_event('none', 't', 'd', '', '', '', '')$$, '42704', 'No such queue', 'unknown queue, seven arguments');
select throws_ok($$select pgtq.insert_event_raw('none', 1, now(), 1, 1, 't', 'd', '', '', '', '')$$, '42704', 'No such queue', 'unknown queue, raw');
select is((error_of($$select pgtq.insert_event('none', 't', 'd')$$))[3:4],
          array['Queue: none', 'Queues are made with create_queue().'], 'detail and hint');
select throws_ok($$select pgtq.insert_event(null, 't', 'd')$$, '22004', 'Queue name must not be NULL', 'null queue');
select throws_ok($$select pgtq.insert_event(null, 't', 'd', '', '', '', '')$$, '22004', 'Queue name must not be NULL', 'null queue, seven arguments');
select throws_ok($$select pgtq.insert_event_raw(null, 1, now(), 1, 1, 't', 'd', '', '', '', '')$$, '22004', 'Queue name must not be NULL', 'null queue, raw');
select throws_ok($$select pgtq.insert_event('Q', 't', 'd')$$, '42704', 'No such queue', 'names are case sensitive');

-- many in one statement: ids in order, none twice
select pgtq.create_queue('many');
select is((select array_agg(pgtq.insert_event('many', 't', n::text)) from generate_series(1, 1000) n),
          array(select generate_series(1, 1000)::bigint), 'a thousand in one statement');
select is((select count(*) from pgtq.event_template e where e.tableoid::regclass::text =
            (select queue_data_pfx || '_0' from pgtq.queue where queue_name = 'many')), 1000::bigint, 'all of them stored');

-- in a prepared statement, from PL/pgSQL, and as a trigger on a table
prepare ins as select pgtq.insert_event('q', $1, $2);
create table tab (id integer);
create function tab_log() returns trigger as $$
begin
    perform pgtq.insert_event('q', tg_op, new.id::text);
    return null;
end;
$$ language plpgsql;
create trigger log after insert on tab for each row execute function tab_log();
insert into tab select generate_series(1, 3);
select is((select array_agg(ev_data order by ev_id) from pgtq.event_template where ev_type = 'INSERT'),
          array['1', '2', '3'], 'from a trigger');
execute ins('prepared', '1');
execute ins('prepared', '2');
select is((select array_agg(ev_data order by ev_id) from pgtq.event_template where ev_type = 'prepared'),
          array['1', '2'], 'from a prepared statement');

-- renamed, and dropped and created again, within one session
update pgtq.queue set queue_name = 'r' where queue_name = 'q';
select throws_ok($$select pgtq.insert_event('q', 't', 'd')$$, '42704', 'No such queue', 'the old name of a renamed queue');
select is(pgtq.insert_event('r', 't', 'd'), pgtq.seq_getval(:'seq'), 'its new name');
select pgtq.drop_queue('r');
select pgtq.create_queue('r');
select is(pgtq.insert_event('r', 't', 'd'), 1::bigint, 'dropped and created again');

select * from finish();
rollback;
