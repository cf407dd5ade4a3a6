-- Timer triggers that make no sense, and rows that they cannot take: the same words in both builds.
begin;
select plan(40);
\ir ../common.psql
\ir timers.psql
select pgtq.create_queue('q'), pgtq.create_queue('x'), pgtq.attach_executor('x');
create table tab (id integer primary key, a text, t timestamptz, b boolean);
create table keyless (id integer, a text);

create function refused(i_arguments text, i_message text, i_detail text, i_hint text) returns text as $$
    select is(fails(format('after insert on tab for each row execute function pgtq.timertriga(%s)', i_arguments), 'insert into tab values (1)'),
              array['22023', i_message, i_detail, i_hint], format('timertriga(%s)', i_arguments));
$$ language sql;
\set known '''Known are key=, at=, in=, action=, when=, cancel_when=.'''
\set incomplete '''timer trigger must have action= and one of at= and in='', '''', ''A trigger that only cancels has none of them, and no when=, but cancel_when=.'''
select refused('', 'pgtq trigger must have destination queue as argument', '', 'The first argument of the trigger function is the name of a queue.');
select refused($$'x', 'nonsense'$$, 'bad param to pgtq trigger', 'Argument: nonsense', :known);
select refused($$'x', 'key'$$, 'bad param to pgtq trigger', 'Argument: key', :known);
select refused($$'x', ''$$, 'bad param to pgtq trigger', 'Argument: ', :known);
select refused($$'x', 'SKIP'$$, 'bad param to pgtq trigger', 'Argument: SKIP', :known);
select refused($$'x', 'pkey=id'$$, 'bad param to pgtq trigger', 'Argument: pkey=id', :known);
select refused($$'x', 'Action=1'$$, 'bad param to pgtq trigger', 'Argument: Action=1', :known);
select refused($$'x', e'action= \t'$$, 'bad param to pgtq trigger', e'Argument: action= \t', 'After the equals sign comes an SQL expression.');
select refused($$'x', 'in=1', 'in=2'$$, 'param to pgtq trigger given twice', 'Argument: in=2', 'Give a list of columns or an expression once, with all that is in it.');
select refused($$'x', 'action=1', 'at=t', 'in=''1 h'''$$, 'timer trigger has both at= and in=', '', 'Give one of them: a time, or how long from now.');
select refused($$'x'$$, :incomplete);
select refused($$'x', 'key=id'$$, :incomplete);
select refused($$'x', 'action=1'$$, :incomplete);
select refused($$'x', 'in=''1 h''', 'cancel_when=true'$$, :incomplete);
select refused($$'x', 'action=1', 'cancel_when=true'$$, :incomplete);
select refused($$'x', 'when=true', 'cancel_when=true'$$, :incomplete);

-- triggers of the wrong kind
\set rest 'execute function pgtq.timertriga(''x'', ''in=''''1 h'''''', ''action=a'')'
select is(fails('after insert on tab for each statement ' || :'rest', 'insert into tab values (1)'),
          array['39P01', 'pgtq Ins/Upd/Del trigger must be fired FOR EACH ROW', '', 'Only a trigger for TRUNCATE is FOR EACH STATEMENT.'], 'for each statement');
select is(fails('after truncate on tab for each statement ' || :'rest', 'truncate tab'),
          array['39P01', 'timer trigger does not work for TRUNCATE', '', 'TRUNCATE has no rows, so it is not known which timers to cancel.'], 'TRUNCATE');
select is(fails('before insert on tab for each row ' || :'rest', 'insert into tab values (1)'),
          array['39P01', 'timer trigger must be an AFTER trigger', '', 'What another trigger sees is not yet what is stored.'], 'BEFORE');
create view seen as select * from tab;
select is((fails('instead of insert on seen for each row ' || :'rest', 'insert into seen values (1)'))[2], 'timer trigger must be an AFTER trigger', 'INSTEAD OF');
select is((error_of('select pgtq.timertriga()'))[1:2], array['0A000', 'trigger functions can only be called as triggers'], 'no ordinary function');

-- keys
select is(fails('after insert or delete on keyless for each row ' || :'rest', 'insert into keyless values (1)'),
          array['55000', 'timer trigger on table without pkey', 'Table: public.keyless', 'Give the table a primary key, or say with key= what the key of a timer is.'], 'neither a primary key nor key=');
drop trigger tested on tab;
insert into tab values (1, 'x');
select is(fails('after update on tab for each row ' || :'rest', 'update tab set id = 2'),
          array['27000', 'primary key update not allowed', '', 'Delete the row and insert it anew, or say with key= what the key of a timer is.'], 'the primary key changes');
select is(fails('after update on tab for each row ' || :'rest', 'update tab set id = id'), null, 'set to what it is');
create function row_of(i_id integer, variadic i_args text[]) returns text[] as $$
    select fails(format('after insert or update or delete on tab for each row execute function pgtq.timertriga(%s)', (select string_agg(quote_literal(a), ', ' order by n) from unnest(i_args) with ordinality u (a, n))),
                 format('insert into tab values (%s)', i_id));
$$ language sql;
\set one 'in=''1 h'''
select is(row_of(8, 'x', :'one', 'action=1', 'key=a'),
          array['22004', 'key= should not be NULL', 'Expression: a', 'Columns without new and old before them are known to INSERT, UPDATE and DELETE.'], 'key: null');
select is(row_of(8, 'x', :'one', 'action=1', 'key=new.a', 'cancel_when=true'),
          array['22004', 'key= should not be NULL', 'Expression: new.a', 'Columns without new and old before them are known to INSERT, UPDATE and DELETE.'], 'key: null, to cancel');
select is((row_of(8, 'x', :'one', 'action=1', 'key='''''))[1:2], array['22023', 'the key of a timer must have 1 to 255 characters'], 'an empty key');
select is((row_of(8, 'x', :'one', 'action=1', 'key=repeat(''x'', 256)'))[1:2], array['22023', 'the key of a timer must have 1 to 255 characters'], 'a long key');

-- times and actions
select is(row_of(8, 'x', 'at=t', 'action=1'), array['22004', 'at= should not be NULL', 'Expression: t', 'Say with when= which rows have a timer.'], 'at: null');
select is(row_of(8, 'x', 'in=null', 'action=1'), array['22004', 'in= should not be NULL', 'Expression: null', 'Say with when= which rows have a timer.'], 'in: null');
select is(row_of(8, 'x', :'one', 'action=a'), array['22004', 'action= should not be NULL', 'Expression: a', 'Say with when= which rows have a timer.'], 'action: null');
select is((row_of(8, 'x', 'at=''infinity''', 'action=1'))[1:2], array['22023', 'the time of a timer must be finite'], 'at: infinity');
select is((row_of(8, 'x', 'at=id', 'action=1'))[1:2], array['42846', 'cannot cast type integer to timestamp with time zone'], 'at: a number');
select is((row_of(8, 'x', 'in=''soon''', 'action=1'))[1:2], array['22007', 'invalid input syntax for type interval: "soon"'], 'in: nonsense');
select is((row_of(8, 'x', :'one', 'action='' '''))[1:2], array['22023', 'the action of a timer must not be empty'], 'action: blank');

-- conditions
select is(row_of(8, 'x', :'one', 'action=1', 'when=b'),
          array['22004', 'when= should not be NULL', 'Expression: b', 'Write coalesce(expression, false) to do nothing where it is not known.'], 'when: null');
select is(row_of(8, 'x', :'one', 'action=1', 'cancel_when=b'),
          array['22004', 'cancel_when= should not be NULL', 'Expression: b', 'Write coalesce(expression, false) to do nothing where it is not known.'], 'cancel_when: null');
select is(row_of(8, 'x', :'one', 'action=1', 'cancel_when=id'), array['42804', 'cancel_when= must be boolean, got integer', 'Expression: id', ''], 'cancel_when: a number');

-- queues
select is((row_of(8, 'nosuch', :'one', 'action=1'))[1:3], array['42704', 'No such queue', 'Queue: nosuch'], 'no such queue');
select is((row_of(8, 'q', :'one', 'action=1'))[1:2], array['55000', 'queue "q" has no executor'], 'a queue without an executor');

select * from finish();
rollback;
