-- when=, ev_type=, ev_data=, ev_extra1= to ev_extra4=: SQL of the trigger's owner.
begin;
select plan(40);
\ir ../common.psql
\ir took.psql
create table tab (id integer primary key, a text, b text, "length" integer, "Odd ""n" text);

-- the fields
select watch('tab', 'ev_extra1=(id+3)::text', 'ev_extra2=a||b', 'ev_extra3=$$333$$', 'ev_extra4=id > 0', 'ev_type=$$custom$$');
select is(took($$insert into tab values (1, 'a', 'b')$$), array[
    'custom / {"id":1,"a":"a","b":"b","length":null,"Odd \"n":null}', 'custom / id=1&a=a&b=b&length&Odd+%22n',
    'custom / (id,a,b,length,"Odd ""n") values (''1'',''a'',''b'',null,null)'], 'ev_type, INSERT');
select is(took_extra($$update tab set a = 'x'$$), array_fill('4 / xb / 333 / t'::text, array[3]), 'ev_extra, UPDATE: the new row; values as their types write them');
select is(took_extra($$delete from tab$$), array_fill('4 / xb / 333 / t'::text, array[3]), 'ev_extra, DELETE: the old row');
select is(took_extra($$insert into tab values (2, null, 'b')$$), array_fill('5 / <null> / 333 / t'::text, array[3]), 'a null is null');
select watch('tab', 'ev_data=null', 'ev_type=null', 'ev_extra1=null', 'backup', 'ev_extra2=id');
select is(took($$insert into tab values (3)$$), array_fill('<null> / <null>'::text, array[3]), 'all null');
select is((took_extra($$update tab set a = 'q' where id = 3$$))[1], '<null> / 3 / <null> / <null>', 'ev_extra2 instead of the backup');
delete from tab;

-- names
select watch('tab', 'ev_extra1="length" + length(a)', 'ev_extra2="Odd ""n"', 'ev_extra3=tab.a || TAB.B', 'ev_extra4=new.a');
select is((took_extra($$insert into tab values (1, 'abc', 'd', 5, 'odd')$$))[1], '8 / odd / abcd / abc', 'columns, functions of the same name, quoted, qualified');
select watch('tab', 'ev_extra1=old', 'ev_extra2=new', 'ev_extra3=old.a', 'ev_extra4=new.a');
select is((took_extra($$update tab set a = 'z'$$))[1], '(1,abc,d,5,odd) / (1,z,d,5,odd) / abc / z', 'old and new, UPDATE');
select is((took_extra($$insert into tab values (2, 'i')$$))[1], '(,,,,) / (2,i,,,) / <null> / i', 'old and new, INSERT');
select is((took_extra($$delete from tab where id = 2$$))[1], '(2,i,,,) / (,,,,) / i / <null>', 'old and new, DELETE');
create table old (old integer primary key, new text);
select watch('old', 'ev_extra1=old', 'ev_extra2=new', 'ev_extra3=old.new', 'ev_extra4=new.old');
select is((took_extra($$insert into old values (1, 'n')$$))[1], '1 / n / n / 1', 'columns called old and new');

-- when
select watch('tab', 'when=b=''yes''');
select is(took($$insert into tab values (4, 'a', 'no')$$), '{}'::text[], 'when: no');
select is(array_length(took($$insert into tab values (5, 'a', 'yes')$$), 1), 3, 'when: yes');
select is(array_length(took($$update tab set b = 'yes' where id = 4$$), 1), 3, 'when: the new row');
select is(took($$update tab set b = 'no' where id = 4$$), '{}'::text[], 'when: the new row, no');
select is(array_length(took($$delete from tab where id = 5$$), 1), 3, 'when: the old row of a DELETE');
select watch('tab', 'when=old.b is distinct from new.b');
select is(took($$update tab set a = 'same'$$), '{}'::text[], 'when: old and new, no');
select is(array_length(took($$update tab set b = 'x' where id = 4$$), 1), 3, 'when: old and new, yes');
select watch('tab', 'when=id > 0 -- really', 'ev_extra4=1/(id-9) /* not for 9 */');
select is((took_extra($$insert into tab values (6)$$))[1], 'public.tab / <null> / <null> / 0', 'comments');
select watch('tab', 'when=id <> 9', 'ev_extra4=1/(id-9)');
select is(took($$insert into tab values (9)$$), '{}'::text[], 'when it is false nothing else is evaluated');
select watch('tab', 'when=exists (select from tab t where t.id = tab.id)', 'ev_extra1=(select count(*) from old)');
select is((took_extra($$insert into tab values (10)$$))[3], '1 / <null> / <null> / <null>', 'queries; the change is seen in an AFTER trigger');

-- errors
select is(fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'when=null::boolean')$$, 'insert into tab values (20)'),
    array['22004', 'when= should not be NULL', 'Expression: null::boolean', 'Write coalesce(expression, false) to do nothing where it is not known.'], 'when: null');
select is(fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'when=a = b')$$, 'insert into tab values (20)'),
    array['22004', 'when= should not be NULL', 'Expression: a = b', 'Write coalesce(expression, false) to do nothing where it is not known.'], 'when: null from nulls');
select is(fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'when=id')$$, 'insert into tab values (20)'),
    array['42804', 'when= must be boolean, got integer', 'Expression: id', ''], 'when: a number');
select is(fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'when=''t''')$$, 'insert into tab values (20)'),
    array['42804', 'when= must be boolean, got text', 'Expression: ''t''', ''], 'when: a text');
select is((fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'when=nosuch')$$, 'insert into tab values (20)'))[1:2],
    array['42703', 'column "nosuch" does not exist'], 'no such column');
select is((fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'ev_data=(')$$, 'insert into tab values (20)'))[1], '42601', 'not SQL');
select is((fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'ev_data=(select 1 union all select 2)')$$, 'insert into tab values (20)'))[1], '21000', 'two rows');
select is(fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'ev_data=generate_series(1, 2)')$$, 'insert into tab values (20)'),
    array['P0003', 'query returned more than one row', '', ''], 'a set of two');
select is(fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'when=generate_series(1, 0) = 1')$$, 'insert into tab values (20)'),
    array['P0002', 'query returned no rows', '', ''], 'an empty set');
select is(fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'ev_extra1=id,a')$$, 'insert into tab values (19)'), null, 'two values are a row');
select is((fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'ev_data=1/(id-20)')$$, 'insert into tab values (20)'))[1], '22012', 'an error in an expression');
select is(fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'ev_data=1/(id-20)')$$, 'insert into tab values (21)'), null, 'and the next row is fine');
drop trigger tested on tab;

-- values never become SQL
select watch('tab', 'ev_extra1=a', 'when=a <> ''''');
select is((took_extra($$insert into tab values (30, ''' || (select 1) || $1 ;')$$))[1], ''' || (select 1) || $1 ; / <null> / <null> / <null>', 'a value that looks like SQL');

-- an expression that fires the trigger again, on the same table
create function again(i_id integer) returns text as $$
begin
    if i_id < 43 then
        insert into tab values (i_id + 1, 'nested');
    end if;
    return 'done ' || i_id;
end;
$$ language plpgsql;
drop trigger jsontriga on tab;
drop trigger sqltriga on tab;
create or replace trigger logutriga after insert on tab for each row execute function pgtq.logutriga('q', 'ev_extra4=again(id)', 'ignore=b,length,Odd "n');
select is(took($$insert into tab values (40, 'outer')$$), array['I:id / id=43&a=nested', 'I:id / id=42&a=nested', 'I:id / id=41&a=nested', 'I:id / id=40&a=outer'], 'nested');

-- BEFORE triggers see the row as it is then
create table early (id integer primary key, a integer, g integer generated always as (a * 2) stored, s text default 'd');
create trigger t before insert or update or delete on early for each row execute function pgtq.jsontriga('q', 'ev_extra1=new', 'ev_extra2=old', 'backup');
select is(took($$insert into early (id, a) values (1, 5)$$), array['{"op":"INSERT","table":["public","early"],"pkey":["id"]} / {"id":1,"a":5,"g":null,"s":"d"}'], 'a generated column is not known in BEFORE INSERT');
select is(took($$update early set a = 6$$), array['{"op":"UPDATE","table":["public","early"],"pkey":["id"]} / {"id":1,"a":6,"g":null,"s":"d"}'], 'nor in BEFORE UPDATE');
select is(took_extra($$update early set a = 7$$), array['(1,7,,d) / (1,6,12,d) / <null> / <null>'], 'but in the old row');
select is(took_extra($$delete from early$$), array['(,,,) / (1,7,14,d) / <null> / <null>'], 'and in BEFORE DELETE');
-- a key that is generated is not compared there
create table generated_key (a integer, g integer generated always as (a * 2) stored primary key);
create trigger t before insert or update on generated_key for each row execute function pgtq.logutriga('q');
select is(took($$insert into generated_key (a) values (1); update generated_key set a = 2$$), array['I:g / a=1&g', 'U:g / a=2&g'], 'a generated key');

select * from finish();
rollback;
