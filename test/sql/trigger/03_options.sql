-- backup, ignore=, pkey=, SKIP, deny.
begin;
select plan(39);
\ir ../common.psql
\ir took.psql
create table tab (id integer primary key, a text, b text, c text);

-- backup: the old row of an UPDATE
select watch('tab', 'backup');
select is(took_extra($$insert into tab values (1, 'a', 'b c', null)$$), array_fill('public.tab / <null> / <null> / <null>'::text, array[3]), 'backup: not for INSERT');
select is(took_extra($$update tab set a = 'x'$$), array[
    'public.tab / {"id":1,"a":"a","b":"b c","c":null} / <null> / <null>',
    'public.tab / id=1&a=a&b=b+c&c / <null> / <null>',
    'public.tab / id=1&a=a&b=b+c&c / <null> / <null>'], 'backup: the old row');
select is(took_extra($$delete from tab$$), array_fill('public.tab / <null> / <null> / <null>'::text, array[3]), 'backup: not for DELETE');

-- ignore=
select watch('tab', 'ignore=a,b', 'backup');
select is(took($$insert into tab values (1, 'a', 'b', 'c')$$), array[
    '{"op":"INSERT","table":["public","tab"],"pkey":["id"]} / {"id":1,"c":"c"}', 'I:id / id=1&c=c', 'I / (id,c) values (''1'',''c'')'], 'ignore: left out');
select is(took($$update tab set a = 'x'$$), '{}'::text[], 'ignore: an UPDATE of an ignored column is not told');
select is(took($$update tab set a = null, b = null$$), '{}'::text[], 'ignore: to null');
select is(took($$update tab set a = 'x', c = 'd'$$), array[
    '{"op":"UPDATE","table":["public","tab"],"pkey":["id"]} / {"id":1,"c":"d"}', 'U:id / id=1&c=d', 'U / c=''d'' where id=''1'''], 'ignore: of another one as well');
select is(took_extra($$update tab set c = 'e', b = 'q'$$), array[
    'public.tab / {"id":1,"c":"d"} / <null> / <null>', 'public.tab / id=1&c=d / <null> / <null>', 'public.tab / id=1&c=d / <null> / <null>'], 'ignore: not in the backup');
select is((took($$update tab set a = a$$))[3], 'U / id=''1'' where id=''1''', 'ignore: an UPDATE that changes nothing is told');
select is((took($$delete from tab$$))[1], '{"op":"DELETE","table":["public","tab"],"pkey":["id"]} / {"id":1,"c":"e"}', 'ignore: DELETE');
select watch('tab', e'ignore= a ,\tb');
select is((took($$insert into tab values (1, 'a', 'b', 'c')$$))[2], 'I:id / id=1&c=c', 'ignore: blanks around names');
select watch('tab', 'ignore=a b');
select is((took($$insert into tab values (2, 'a', 'b', 'c')$$))[2], 'I:id / id=2&c=c', 'ignore: blanks between names');
select watch('tab', 'ignore=A,nosuch,ab');
select is((took($$insert into tab values (3, 'a', 'b', 'c')$$))[2], 'I:id / id=3&a=a&b=b&c=c', 'ignore: whole names, and as they are');
select watch('tab', 'ignore=id,a,b,c');
select is(took($$insert into tab values (4, 'a', 'b', 'c')$$), array[
    '{"op":"INSERT","table":["public","tab"],"pkey":["id"]} / {}', 'I:id / ', 'I / () values ()'], 'ignore: everything');
select is((took($$delete from tab where id = 4$$))[3], 'D / id=''4''', 'ignore: the key still finds the row');
create table odd ("a b" text, a text, b text, "c,d" text);
select watch('odd', 'ignore=a b');
select is((took($$insert into odd values ('1', '2', '3', '4')$$))[2], 'I: / a=2&b=3&c%2cd=4', 'ignore: a column with a blank in its name');

-- what counts as a change is what the type's = says; for arrays and types without it, the text
create type pair as (a integer, n numeric);
create type with_json as (a integer, j json);
create table eq (id integer primary key, n numeric, arr numeric[], j json, p pair, w with_json, pt point, ch char(5), iv interval, f float8, jb jsonb);
insert into eq values (1, 1.0, '{1.0}', '{}', (1, 1.0), (1, '{}'), '(1,1)', 'a', '1 day', 0, '1.0');
select watch('eq', 'ignore=n,arr,j,p,w,pt,ch,iv,f,jb');
select is(array_length(took($$update eq set n = 1.00, p = (1, 1.00), ch = 'a  ', iv = '24:00', f = '-0', jb = '1.00'$$), 1), 3, 'equal values are no change');
select is(took($$update eq set arr = '{1.00}'$$), '{}'::text[], 'an array that looks different is a change');
select is(took($$update eq set j = '{ }'$$), '{}'::text[], 'so is a type without =');
select is(took($$update eq set w = (1, '{ }')$$), '{}'::text[], 'or a row with a field without =');
select is(took($$update eq set pt = '(1,2)'$$), '{}'::text[], 'or a point');
select is(took($$update eq set p = (2, 1)$$), '{}'::text[], 'a row that has changed');
select watch('eq');
select is((took($$update eq set n = 1.0, p = (2, 1.0), w = (1, '{"a":1}'), arr = '{1.00}'$$))[3], 'U / w=''(1,"{""a"":1}")'' where id=''1''', 'only what has changed is in the SQL');

-- pkey=
create table keyless (a text, b text, c text);
select watch('keyless', 'pkey=a,b');
select is(took($$insert into keyless values ('1', '2', '3')$$), array[
    '{"op":"INSERT","table":["public","keyless"],"pkey":["a","b"]} / {"a":"1","b":"2","c":"3"}', 'I:a,b / a=1&b=2&c=3',
    'I / (a,b,c) values (''1'',''2'',''3'')'], 'pkey: INSERT');
select is((took($$update keyless set c = '4'$$))[2:3], array['U:a,b / a=1&b=2&c=4', 'U / c=''4'' where a=''1'' and b=''2'''], 'pkey: UPDATE');
select throws_ok($$update keyless set b = '4'$$, '27000', 'primary key update not allowed', 'pkey: must not change');
select is((took($$delete from keyless$$))[2:3], array['D:a,b / a=1&b=2&c=4', 'D / a=''1'' and b=''2'''], 'pkey: DELETE');
select watch('keyless', 'pkey=a, b');
select is((took($$insert into keyless values ('1', '2', '3')$$))[1:2], array[
    '{"op":"INSERT","table":["public","keyless"],"pkey":["a"," b"]} / {"a":"1","b":"2","c":"3"}', 'I:a, b / a=1&b=2&c=3'], 'pkey: written as it is given');
select is((took($$delete from keyless$$))[3], 'D / a=''1'' and b=''2''', 'pkey: and understood');
select watch('tab', 'pkey=a');
select is((took($$update tab set id = 100 where id = 1$$))[2:3], array['U:a / id=100&a=a&b=b&c=c', 'U / id=''100'' where a=''a'''], 'pkey: instead of the primary key');

-- SKIP: the queue instead of the table
create table away (id integer primary key, a text);
insert into away values (1, 'stays');
create trigger t before insert or update or delete on away for each row execute function pgtq.logutriga('q', 'SKIP');
select is(took($$insert into away values (2, 'x')$$), array['I:id / id=2&a=x'], 'SKIP: INSERT');
select is(took($$update away set a = 'y'$$), array['U:id / id=1&a=y'], 'SKIP: UPDATE');
select is(took($$delete from away$$), array['D:id / id=1&a=stays'], 'SKIP: DELETE');
select results_eq('select * from away', $$values (1, 'stays')$$, 'SKIP: the table is as it was');
create or replace trigger t before update on away for each row execute function pgtq.logutriga('q', 'ignore=a', 'skip');
select is(took($$update away set a = 'y'$$), '{}'::text[], 'SKIP: no event, and ');
select results_eq('select * from away', $$values (1, 'stays')$$, 'no change either');
create or replace trigger t before insert or update or delete on away for each row execute function pgtq.jsontriga('q');
select is(took($$insert into away values (2, 'x'); update away set a = 'z'; delete from away where id = 1$$), array[
    '{"op":"INSERT","table":["public","away"],"pkey":["id"]} / {"id":2,"a":"x"}',
    '{"op":"UPDATE","table":["public","away"],"pkey":["id"]} / {"id":1,"a":"z"}',
    '{"op":"UPDATE","table":["public","away"],"pkey":["id"]} / {"id":2,"a":"z"}',
    '{"op":"DELETE","table":["public","away"],"pkey":["id"]} / {"id":1,"a":"z"}'], 'BEFORE without SKIP tells');
select results_eq('select * from away', $$values (2, 'z')$$, 'and changes');

-- deny
select is(fails($$before delete on away for each row execute function pgtq.sqltriga('q', 'deny')$$, 'delete from away'),
          array['55000', 'Table ''public.away'' to queue ''q'': change not allowed (DELETE)', '', ''], 'deny');

select * from finish();
rollback;
