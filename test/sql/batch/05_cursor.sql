-- get_batch_cursor(): quick rows, FETCH, a condition, nulls.
select plan(32);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');
select pgtq.insert_event('q', case when n % 2 = 0 then 'even' else 'odd' end, n::text) from generate_series(1, 10) n;
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
create function fetched(i_cursor text, i_how text default 'all') returns text[] as $$
declare
    _row record;
    _all text[] := '{}';
begin
    for _row in execute format('fetch %s from %I', i_how, i_cursor) loop
        _all := _all || _row.ev_data;
    end loop;
    return _all;
end;
$$ language plpgsql;
create function quick(i_batch bigint, i_cursor text, i_limit integer) returns text[] as $$
    select array(select ev_data from pgtq.get_batch_cursor(i_batch, i_cursor, i_limit));
$$ language sql;
create function quick(i_batch bigint, i_cursor text, i_limit integer, i_where text) returns text[] as $$
    select array(select ev_data from pgtq.get_batch_cursor(i_batch, i_cursor, i_limit, i_where));
$$ language sql;

begin;
select is(quick(:batch, 'c3', 3), array['1', '2', '3'], 'the first rows');
select is((select array_agg(ev_data) from pgtq.get_batch_events(:batch)), array(select n::text from generate_series(1, 10) n), 'the batch is not changed');
select results_eq('fetch 1 from c3', format('select * from pgtq.get_batch_events(%s) offset 3 limit 1', :batch), 'FETCH has the same columns');
select is(fetched('c3', '2'), array['5', '6'], 'FETCH goes on');
select is(fetched('c3'), array['7', '8', '9', '10'], 'the rest');
select is(fetched('c3'), '{}', 'nothing more');

select is(quick(:batch, 'c0', 0), '{}', 'limit 0: no rows');
select is(cardinality(fetched('c0')), 10, 'limit 0: all for FETCH');
select is(quick(:batch, 'c99', 99), array(select n::text from generate_series(1, 10) n), 'a limit above: all');
select is(fetched('c99'), '{}', 'nothing for FETCH');
select is(quick(:batch, 'Odd "name"', 1), array['1'], 'a name that needs quotes');
select is(cardinality(fetched('Odd "name"')), 9, 'and its FETCH');
select throws_ok(format('select * from pgtq.get_batch_cursor(%s, $$c3$$, 1)', :batch), '42P03', null, 'the name is in use');

-- a condition
select is(quick(:batch, 'even', 2, $$ev_type = 'even'$$), array['2', '4'], 'a condition: the first rows');
select is(fetched('even'), array['6', '8', '10'], 'a condition: the rest');
select is(quick(:batch, 'or', 9, $$ev_id = 2 or ev_id = 1$$), array['1', '2'], 'a condition with OR, in the order of ids');
select is(quick(:batch, 'none', 9, 'false'), '{}', 'a condition that nothing meets');
select is(quick(:batch, 'wnull', 2, null), array['1', '2'], 'a null condition is none');
select is(cardinality(fetched('wnull')), 8, 'and its FETCH');
select is(quick(:batch, 'all columns', 9, $$ev_id = 3 and ev_time <= now() and ev_txid > 0 and ev_retry is null and ev_type = 'odd'
          and ev_data = '3' and coalesce(ev_extra1, ev_extra2, ev_extra3, ev_extra4) is null$$), array['3'], 'all columns can be asked for');
select throws_ok(format('select * from pgtq.get_batch_cursor(%s, $$bad$$, 1, $$no_such_column = 1$$)', :batch), '42703', null, 'a wrong condition');
select results_eq(format('select * from pgtq.get_batch_cursor(i_batch_id => %s, i_cursor_name => $$n1$$, i_quick_limit => 5)', :batch),
                  format('select * from pgtq.get_batch_cursor(i_batch_id => %s, i_cursor_name => $$n2$$, i_quick_limit => 5, i_extra_where => null)', :batch),
                  'names of the parameters');

-- nulls: no rows, and no cursor
select is(quick(null, 'n', 1), '{}', 'null batch');
select is(quick(:batch, null, 1), '{}', 'null name');
select is(quick(:batch, 'n', null), '{}', 'null limit');
select is(quick(null, 'n', 1, 'true'), '{}', 'null batch, four arguments');
select is(quick(:batch, null, 1, 'true'), '{}', 'null name, four arguments');
select is(quick(:batch, 'n', null, 'true'), '{}', 'null limit, four arguments');
select is((select count(*) from pg_cursors where name = 'n'), 0::bigint, 'no cursor was declared');
select throws_ok($$select * from pgtq.get_batch_cursor(999, 'x', 1)$$, '42704', 'batch not found', 'unknown batch');
select throws_ok($$select * from pgtq.get_batch_cursor(999, 'x', 1, 'true')$$, '42704', 'batch not found', 'unknown batch, four arguments');
commit;
select is((select count(*) from pg_cursors where name = 'c3'), 0::bigint, 'cursors end with the transaction');
select * from finish();
