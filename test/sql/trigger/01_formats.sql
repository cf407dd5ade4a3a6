-- What jsontriga(), logutriga() and sqltriga() say of INSERT, UPDATE, DELETE and TRUNCATE.
begin;
select plan(15);
\ir ../common.psql
\ir took.psql
create table tab (id integer primary key, txt text, val float);
select watch('tab');

select is(took($$insert into tab values (1, 'text1')$$), array[
    '{"op":"INSERT","table":["public","tab"],"pkey":["id"]} / {"id":1,"txt":"text1","val":null}',
    'I:id / id=1&txt=text1&val',
    'I / (id,txt,val) values (''1'',''text1'',null)'], 'INSERT');
select is(took_extra($$insert into tab values (2, null, 1.5)$$), array_fill('public.tab / <null> / <null> / <null>'::text, array[3]),
          'ev_extra1 is the table, the others are null');
select is(took($$update tab set txt = 'text2' where id = 1$$), array[
    '{"op":"UPDATE","table":["public","tab"],"pkey":["id"]} / {"id":1,"txt":"text2","val":null}',
    'U:id / id=1&txt=text2&val',
    'U / txt=''text2'' where id=''1'''], 'UPDATE');
select is(took($$update tab set txt = null, val = 2 where id = 2$$), array[
    '{"op":"UPDATE","table":["public","tab"],"pkey":["id"]} / {"id":2,"txt":null,"val":"2"}',
    'U:id / id=2&txt&val=2',
    'U / val=''2'' where id=''2'''], 'UPDATE of a null to null and a number');
select is((took($$update tab set val = null where id = 2$$))[3], 'U / val=NULL where id=''2''', 'UPDATE to null');
select is(took($$update tab set txt = txt where id = 1$$), array[
    '{"op":"UPDATE","table":["public","tab"],"pkey":["id"]} / {"id":1,"txt":"text2","val":null}',
    'U:id / id=1&txt=text2&val',
    'U / id=''1'' where id=''1'''], 'an UPDATE that changes nothing is told');
select is(took($$insert into tab values (3), (4)$$), array[
    '{"op":"INSERT","table":["public","tab"],"pkey":["id"]} / {"id":3,"txt":null,"val":null}',
    'I:id / id=3&txt&val',
    'I / (id,txt,val) values (''3'',null,null)',
    '{"op":"INSERT","table":["public","tab"],"pkey":["id"]} / {"id":4,"txt":null,"val":null}',
    'I:id / id=4&txt&val',
    'I / (id,txt,val) values (''4'',null,null)'], 'row by row, in order');
select is(took($$delete from tab where id = 1$$), array[
    '{"op":"DELETE","table":["public","tab"],"pkey":["id"]} / {"id":1,"txt":"text2","val":null}',
    'D:id / id=1&txt=text2&val',
    'D / id=''1'''], 'DELETE');
select is(took($$delete from tab where false$$), '{}'::text[], 'no row, no event');

create trigger t1 after truncate on tab for each statement execute function pgtq.jsontriga('q');
create trigger t2 before truncate on tab for each statement execute function pgtq.logutriga('q');
create trigger t3 before truncate on tab for each statement execute function pgtq.sqltriga('q');
select is(took($$truncate tab$$), array[
    'R / ', 'R / ', '{"op":"TRUNCATE","table":["public","tab"],"pkey":["id"]} / {}'], 'TRUNCATE');
select is(took_extra($$truncate tab$$), array_fill('public.tab / <null> / <null> / <null>'::text, array[3]), 'TRUNCATE, ev_extra');

-- a key of two columns: in the order of the key, but for SQL, where it is that of the table
create table pair (a integer, b text, c integer, primary key (c, a));
select watch('pair');
select is(took($$insert into pair values (1, 'x', 2)$$), array[
    '{"op":"INSERT","table":["public","pair"],"pkey":["c","a"]} / {"a":1,"b":"x","c":2}',
    'I:c,a / a=1&b=x&c=2',
    'I / (a,b,c) values (''1'',''x'',''2'')'], 'a key of two columns, INSERT');
select is((took($$update pair set b = 'y'$$))[3], 'U / b=''y'' where a=''1'' and c=''2''', 'a key of two columns, UPDATE');
select is((took($$update pair set b = b$$))[3], 'U / a=''1'' where a=''1'' and c=''2''', 'a key of two columns, no change');
select is((took($$delete from pair$$))[2:3], array['D:c,a / a=1&b=y&c=2', 'D / a=''1'' and c=''2'''], 'a key of two columns, DELETE');

select * from finish();
rollback;
