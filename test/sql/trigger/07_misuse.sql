-- Triggers of the wrong kind, tables without a key, keys that change.
begin;
select plan(38);
\ir ../common.psql
\ir took.psql
create table tab (id integer primary key, a text);
create table keyless (id integer, a text);
insert into tab values (1, 'x');
insert into keyless values (1, 'x');
create function kinds() returns setof text as $$ select unnest(array['jsontriga', 'logutriga', 'sqltriga']) $$ language sql;

select is(fails(format('after insert on tab for each statement execute function pgtq.%s(''q'')', k), 'insert into tab values (2)'),
          array['39P01', 'pgtq Ins/Upd/Del trigger must be fired FOR EACH ROW', '', 'Only a trigger for TRUNCATE is FOR EACH STATEMENT.'], k || ' for each statement')
  from kinds() k;
select is(fails(format('after insert on tab for each row execute function pgtq.%s(''q'', ''SKIP'')', k), 'insert into tab values (2)'),
          array['39P01', 'SKIP does not work in AFTER trigger.', '', 'Make it a BEFORE trigger: only that can keep a row from being changed.'], k || ', SKIP in AFTER')
  from kinds() k;
select is(fails(format('after insert on tab for each row execute function pgtq.%s(''q'', ''deny'')', k), 'insert into tab values (2)'),
          array['55000', format('Table ''public.tab'' to queue ''q'': change not allowed (INSERT)'), '', ''], k || ', deny')
  from kinds() k;
select is(fails(format('after insert on tab for each row execute function pgtq.%s(''nosuch'')', k), 'insert into tab values (2)'),
          array['42704', 'No such queue', 'Queue: nosuch', 'Queues are made with create_queue().'], k || ', no such queue')
  from kinds() k;
select is((error_of(format('select pgtq.%s()', k)))[1:2], array['0A000', 'trigger functions can only be called as triggers'], k || ' is no ordinary function')
  from kinds() k;
drop trigger tested on tab;

-- TRUNCATE
create function truncate_refuses(i_argument text, i_what text) returns text as $$
    select is(fails(format('after truncate on tab for each statement execute function pgtq.jsontriga(''q'', %L)', i_argument), 'truncate tab'),
              array['39P01', i_what || ' not make sense for truncate trigger', '', 'TRUNCATE has no rows: make it a trigger of its own, without this argument.'],
              'TRUNCATE, ' || i_argument);
$$ language sql;
select truncate_refuses('ignore=a', 'Column ignore does');
select truncate_refuses('pkey=a', 'Custom pkey_list does');
select truncate_refuses('backup', 'Backup does');
select truncate_refuses('when=true', 'Custom expressions do');
select truncate_refuses('ev_extra2=1', 'Custom expressions do');
select is((fails($$after truncate on tab for each statement execute function pgtq.jsontriga('q', 'deny')$$, 'truncate tab'))[2],
          'Table ''public.tab'' to queue ''q'': change not allowed (TRUNCATE)', 'TRUNCATE, deny');
select is((fails($$after truncate on tab for each statement execute function pgtq.jsontriga('q', 'SKIP')$$, 'truncate tab'))[2], 'SKIP does not work in AFTER trigger.', 'TRUNCATE, SKIP');
drop trigger tested on tab;

-- without a key
select is(fails(format('after update or delete on keyless for each row execute function pgtq.%s(''q'')', k), c),
          array['55000', 'Update/Delete on table without pkey', '', 'Give the table a primary key, or name the columns that tell rows apart with pkey=.'], k || ' without a key: ' || c)
  from kinds() k, unnest(array['update keyless set a = a', 'delete from keyless']) c;
select is((fails($$after update or delete on keyless for each row execute function pgtq.jsontriga('q', 'pkey=')$$, 'delete from keyless'))[2],
          'Update/Delete on table without pkey', 'an empty pkey=');
select is((fails($$after update or delete on keyless for each row execute function pgtq.sqltriga('q', 'pkey=nosuch')$$, 'delete from keyless'))[2],
          'Update/Delete on table without pkey', 'a pkey= of no column, where SQL needs one');
select is(fails($$after update or delete on keyless for each row execute function pgtq.sqltriga('q', 'pkey=id')$$, 'update keyless set id = null, a = a'),
          array['27000', 'primary key update not allowed', '', 'Delete the row and insert it anew, or name other columns with pkey=.'], 'a key that becomes null');
drop trigger tested on keyless;
insert into keyless values (null, 'y');
select is(fails($$after update or delete on keyless for each row execute function pgtq.sqltriga('q', 'pkey=id')$$, c || ' where id is null'),
          array['22004', 'Unexpected NULL key value', '', 'Columns of pkey= must not be NULL.'], 'a null key in SQL: ' || c)
  from unnest(array['update keyless set a = ''z''', 'delete from keyless']) c;

-- a key that changes
select is(fails(format('after update on tab for each row execute function pgtq.%s(''q'')', k), 'update tab set id = 6'),
          array['27000', 'primary key update not allowed', '', 'Delete the row and insert it anew, or name other columns with pkey=.'], k || ', a changed key')
  from kinds() k;
select is((fails($$after update on tab for each row execute function pgtq.jsontriga('q', 'ignore=id')$$, 'update tab set id = 6'))[2], 'primary key update not allowed', 'an ignored key');
select is((select count(*) from pgtq.event_template), 0::bigint, 'no event of all this');

select * from finish();
rollback;
