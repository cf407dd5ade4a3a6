-- Columns whose names begin with _pgtq_ev_ set fields of the event.
begin;
select plan(16);
\ir ../common.psql
\ir took.psql
create table tab (id integer primary key, a text, _pgtq_ev_type text, _pgtq_ev_extra1 text default 'e1', _pgtq_ev_extra2 text default 'e2',
                  _pgtq_ev_extra3 integer default 3, _pgtq_ev_extra4 boolean default true);
select watch('tab');
select is(took($$insert into tab values (1, 'x', 'mine')$$), array['mine / {"id":1,"a":"x"}', 'mine / id=1&a=x', 'mine / (id,a) values (''1'',''x'')'], 'INSERT: type; not in the data');
select is(took_extra($$insert into tab values (2, 'x')$$), array_fill('e1 / e2 / 3 / t'::text, array[3]), 'INSERT: extra');
select is(took($$insert into tab values (3)$$), array['<null> / {"id":3,"a":null}', '<null> / id=3&a', '<null> / (id,a) values (''3'',null)'], 'null is null');
select is(took_extra($$update tab set a = 'y', _pgtq_ev_extra3 = 4, _pgtq_ev_extra1 = null where id = 1$$), array_fill('<null> / e2 / 4 / t'::text, array[3]), 'UPDATE: of the new row');
select is(took_extra($$delete from tab where id = 1$$), array_fill('<null> / e2 / 4 / t'::text, array[3]), 'DELETE: of the old row');
select is(took($$update tab set _pgtq_ev_type = 'only' where id = 2$$), array['only / {"id":2,"a":"x"}', 'only / id=2&a=x'], 'an UPDATE of these alone is no change for SQL');
select watch('tab', 'ignore=a');
select is(took($$update tab set _pgtq_ev_type = 'again' where id = 2$$), '{}'::text[], 'nor for the others if columns are ignored');
select watch('tab', 'backup');
select is((took_extra($$update tab set a = 'z' where id = 2$$))[1], 'e1 / e2 / 3 / t', 'they come before the backup');
select watch('tab', 'ev_type=$$expression$$', 'ev_extra4=_pgtq_ev_extra3 + 1');
select is((took($$update tab set a = 'q' where id = 2$$))[2], 'expression / id=2&a=q', 'expressions come before them');
select is((took_extra($$update tab set a = 'r' where id = 2$$))[2], 'e1 / e2 / 3 / 4', 'and can use them');

alter table tab add column _pgtq_ev_data text;
select watch('tab');
select is(took($$update tab set a = 's', _pgtq_ev_data = 'data' where id = 2$$), array['again / data', 'again / data', 'again / data'], '_pgtq_ev_data');
select is(took($$update tab set _pgtq_ev_data = null, a = 't' where id = 2$$), array['again / <null>', 'again / <null>', 'again / <null>'], '_pgtq_ev_data, null');
create trigger truncated after truncate on tab for each statement execute function pgtq.logutriga('q');
select is(took($$truncate tab$$), array['R / '], 'TRUNCATE has no columns');

-- a key among them is none; others are in error
alter table tab drop constraint tab_pkey, add primary key (id, _pgtq_ev_extra3);
select is((took($$insert into tab values (1, 'x'); update tab set _pgtq_ev_extra3 = 5, a = 'y'$$))[6], '<null> / <null>', 'they are not compared as a key');
alter table tab add column _pgtq_ev_nonsense text;
select is(error_of($$insert into tab values (7)$$), array['42703', 'Unknown magic column: _pgtq_ev_nonsense', '',
    'Columns that begin with _pgtq_ev_ set a field of the event: type, data, extra1 to extra4.'], 'an unknown one');
select lives_ok($$truncate tab$$, 'which TRUNCATE does not look at');

select * from finish();
rollback;
