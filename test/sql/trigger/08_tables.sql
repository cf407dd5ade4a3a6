-- Tables of all kinds: dropped, generated and identity columns, partitions, inheritance, odd names.
begin;
select plan(35);
\ir ../common.psql
\ir took.psql

-- dropped, generated and identity columns
create table tab (id integer generated always as identity primary key, gone text, a integer, g integer generated always as (a * 2) stored, c text);
alter table tab drop column gone;
select watch('tab', 'backup');
select is(took($$insert into tab (a) values (1)$$), array[
    '{"op":"INSERT","table":["public","tab"],"pkey":["id"]} / {"id":1,"a":1,"g":2,"c":null}', 'I:id / id=1&a=1&g=2&c',
    'I / (id,a,g,c) values (''1'',''1'',''2'',null)'], 'identity, dropped and generated columns');
select is((took($$update tab set a = 2$$))[3], 'U / a=''2'',g=''4'' where id=''1''', 'a generated column changes');
alter table tab add column d integer default 7;
select is((took($$update tab set c = 'x'$$))[2], 'U:id / id=1&a=2&g=4&c=x&d=7', 'a column that was added with a default');
select is((took_extra($$update tab set d = 8$$))[2], 'public.tab / id=1&a=2&g=4&c=x&d=7 / <null> / <null>', 'and its old value');

-- keys
create table include (id integer, a text, primary key (id) include (a));
select watch('include');
select is(took($$insert into include values (1, 'x'); update include set a = 'y'$$), array[
    '{"op":"INSERT","table":["public","include"],"pkey":["id"]} / {"id":1,"a":"x"}', 'I:id / id=1&a=x', 'I / (id,a) values (''1'',''x'')',
    '{"op":"UPDATE","table":["public","include"],"pkey":["id"]} / {"id":1,"a":"y"}', 'U:id / id=1&a=y', 'U / a=''y'' where id=''1'''], 'included columns are no part of the key');
alter table include rename column id to key;
select is((took($$update include set a = 'z'$$))[2:3], array['U:key / key=1&a=z', 'U / a=''z'' where key=''1'''], 'a renamed key');
create table other (id integer unique not null, a text);
select watch('other');
select is((took($$insert into other values (1, 'x')$$))[1:2], array['{"op":"INSERT","table":["public","other"],"pkey":[]} / {"id":1,"a":"x"}', 'I: / id=1&a=x'], 'a unique column is no primary key');
alter table other add primary key (a);
select is((took($$update other set id = 2$$))[2:3], array['U:a / id=2&a=x', 'U / id=''2'' where a=''x'''], 'a key that was added');
alter table other drop constraint other_pkey;
select throws_ok($$update other set id = 2$$, '55000', 'Update/Delete on table without pkey', 'a key that was dropped');

-- odd names
create schema "s "" p";
create table "s "" p"."T.'x" ("i ""d" integer, id integer, "a=b&c" text, "select" text, "d,e" text, primary key ("i ""d", "d,e"));
select watch('"s "" p"."T.''x"');
select is(took($$insert into "s "" p"."T.'x" values (1, 2, 'x', null, ',')$$), array[
    '{"op":"INSERT","table":["s \" p","T.''x"],"pkey":["i \"d","d,e"]} / {"i \"d":1,"id":2,"a=b&c":"x","select":null,"d,e":","}',
    'I:i "d,d,e / i+%22d=1&id=2&a%3db%26c=x&select&d%2ce=%2c',
    'I / ("i ""d",id,"a=b&c","select","d,e") values (''1'',''2'',''x'',null,'','')'], 'odd names');
select is((took($$update "s "" p"."T.'x" set id = 3, "select" = 's'$$))[3], 'U / id=''3'',"select"=''s'' where "i ""d"=''1'' and "d,e"='',''', 'a column whose name ends the key''s is no key');
select is((took_extra($$delete from "s "" p"."T.'x"$$))[1], 's " p.T.''x / <null> / <null> / <null>', 'odd names, extra1');
select watch('"s "" p"."T.''x"', 'ev_extra1="i ""d"', 'ev_extra2="T.''x"."a=b&c"', 'when="select" is null');
select is((took_extra($$insert into "s "" p"."T.'x" values (1, 2, 'x', null, ',')$$))[1], '1 / x / <null> / <null>', 'odd names in expressions');

-- partitions: the events are those of the leaf
create table part (id integer primary key, a text) partition by range (id);
create table part1 partition of part for values from (0) to (10);
create table part2 (gone integer, a text, id integer not null);
alter table part2 drop column gone;
alter table part attach partition part2 for values from (10) to (20);
select watch('part', 'backup');
select is(took($$insert into part values (1, 'x'), (11, 'y')$$), array[
    '{"op":"INSERT","table":["public","part1"],"pkey":["id"]} / {"id":1,"a":"x"}', 'I:id / id=1&a=x', 'I / (id,a) values (''1'',''x'')',
    '{"op":"INSERT","table":["public","part2"],"pkey":["id"]} / {"a":"y","id":11}', 'I:id / a=y&id=11', 'I / (a,id) values (''y'',''11'')'], 'partitions, through the root');
select is((took($$insert into part2 values ('z', 12)$$))[2], 'I:id / a=z&id=12', 'a partition itself');
select is((took($$update part set a = 'q' where id = 11$$))[3], 'U / a=''q'' where id=''11''', 'UPDATE through the root');
select is(array(select split_part(e, ' / ', 1) from unnest(took($$update part set id = 15 where id = 1$$)) e where e not like '{%'), array['D:id', 'D', 'I:id', 'I'], 'from one partition to another');
select is((took($$delete from part where id = 15$$))[2], 'D:id / a=x&id=15', 'DELETE through the root');
create trigger root after truncate on part for each statement execute function pgtq.logutriga('q');
create trigger leaf after truncate on part1 for each statement execute function pgtq.jsontriga('q');
select is(took_extra($$truncate part$$), array['public.part / <null> / <null> / <null>', 'public.part1 / <null> / <null> / <null>'], 'TRUNCATE of the root tells of root and leaf');
create trigger logutriga_2 after insert on part1 for each row execute function pgtq.jsontriga('q', 'ev_type=$$leaf$$');
select is((took($$insert into part values (2, 'x'), (12, 'y')$$))[3], 'leaf / {"id":2,"a":"x"}', 'a trigger on a leaf alone');

-- inheritance: a trigger is of one table
create table base (id integer primary key, a text);
create table heir (b text, primary key (id)) inherits (base);
select watch('base');
select is(took($$insert into heir values (1, 'x', 'y'); update base set a = 'z'$$), '{}'::text[], 'a child has not its parent''s trigger');
select watch('heir');
select is((took($$update base set a = 'q'$$))[2:3], array['U:id / id=1&a=q&b=y', 'U / a=''q'' where id=''1'''], 'it has its own');

-- views, foreign keys that point here, temporary, wide and empty tables
create view seen as select id, a from base;
create trigger t instead of insert or update or delete on seen for each row execute function pgtq.logutriga('q', 'pkey=id', 'backup', 'ev_extra4=seen.a');
select is(took($$insert into seen values (5, 'v')$$), array['I:id / id=5&a=v'], 'a view, INSERT');
select is(took_extra($$update seen set a = 'w' where id = 1$$), array['public.seen / id=1&a=q / <null> / w'], 'a view, UPDATE');
select is(took($$delete from seen$$), array['D:id / id=1&a=q'], 'a view, DELETE');
select is((select count(*) from base), 1::bigint, 'nothing else has happened');
create temp table temporary (id integer primary key, a text);
select watch('temporary', 'ev_extra4=a', 'ev_extra3=new.id');
select is((took_extra($$insert into temporary values (1, 't')$$))[2] ~ '^pg_temp_\d+.temporary / <null> / 1 / t$', true, 'a temporary table');
create table empty ();
select watch('empty');
select is(took($$insert into empty default values$$), array['{"op":"INSERT","table":["public","empty"],"pkey":[]} / {}', 'I: / ', 'I / () values ()'], 'a table without columns');
select format('create table wide (%s, primary key (c1))', string_agg(format('c%s integer default %s', n, n), ', ')) from generate_series(1, 1000) n \gexec
select watch('wide', 'ignore=c2', 'backup');
create temp table told as select * from unnest(took($$insert into wide default values$$)) with ordinality u (e, n);
select is((select e from told where n = 2), 'I:c1 / ' || (select string_agg(format('c%s=%s', n, n), '&' order by n) from generate_series(1, 1000) n where n <> 2), 'a thousand columns, urlencoded');
select is((select split_part(e, ' / ', 2) from told where n = 1), '{' || (select string_agg(format('"c%s":%s', n, n), ',' order by n) from generate_series(1, 1000) n where n <> 2) || '}', 'a thousand columns, JSON');
select is((took($$update wide set c3 = null, c999 = 0, c2 = 9$$))[3], 'U / c3=NULL,c999=''0'' where c1=''1''', 'a thousand columns, SQL');

-- a schema, a table and a column that are renamed in between
create schema before;
create table before.tab (id integer primary key, a text);
select watch('before.tab', 'when=a is distinct from ''no''');
select is((took_extra($$insert into before.tab values (1, 'x')$$))[1], 'before.tab / <null> / <null> / <null>', 'before');
alter schema before rename to after;
select is((took($$update after.tab set a = 'y'$$))[1], '{"op":"UPDATE","table":["after","tab"],"pkey":["id"]} / {"id":1,"a":"y"}', 'a renamed schema');
alter table after.tab rename to renamed;
select is((took_extra($$update after.renamed set a = 'z'$$))[2], 'after.renamed / <null> / <null> / <null>', 'a renamed table');
alter table after.renamed rename a to b;
select throws_ok($$update after.renamed set b = 'z'$$, '42703', 'column "a" does not exist', 'a renamed column that an expression names');

select * from finish();
rollback;
