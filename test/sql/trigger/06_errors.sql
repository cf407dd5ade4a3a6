-- Triggers that make no sense: message, detail and hint, the same in both builds.
begin;
select plan(31);
\ir ../common.psql
\ir took.psql
create table tab (id integer primary key, a text);

create function refused(i_arguments text, i_message text, i_detail text, i_hint text) returns setof text as $$
begin
    return query select is(fails(format('after insert on tab for each row execute function pgtq.%s(%s)', f, i_arguments), 'insert into tab values (1)'),
                   array['22023', i_message, i_detail, i_hint], format('%s(%s)', f, i_arguments))
       from unnest(array['jsontriga', 'logutriga', 'sqltriga']) f;
end;
$$ language plpgsql;
\set known '''Known are SKIP, backup, deny, ignore=, pkey=, when=, ev_type=, ev_data=, ev_extra1= to ev_extra4=.'''
select * from refused('', 'pgtq trigger must have destination queue as argument', '', 'The first argument of the trigger function is the name of a queue.');
select * from refused($$'q', 'nonsense'$$, 'bad param to pgtq trigger', 'Argument: nonsense', :known);
select * from refused($$'q', 'ignore'$$, 'bad param to pgtq trigger', 'Argument: ignore', :known);
select * from refused($$'q', 'backup=yes'$$, 'bad param to pgtq trigger', 'Argument: backup=yes', :known);
select * from refused($$'q', ' deny'$$, 'bad param to pgtq trigger', 'Argument:  deny', :known);
select * from refused($$'q', 'ev_extra5=1'$$, 'bad param to pgtq trigger', 'Argument: ev_extra5=1', :known);
select * from refused($$'q', ''$$, 'bad param to pgtq trigger', 'Argument: ', :known);
select * from refused($$'q', 'when= '$$, 'bad param to pgtq trigger', 'Argument: when= ', 'After the equals sign comes an SQL expression.');
select * from refused($$'q', 'ev_data=1', 'ev_data=2'$$, 'param to pgtq trigger given twice', 'Argument: ev_data=2', 'Give a list of columns or an expression once, with all that is in it.');
select * from refused($$'q', 'ignore=a', 'ignore=b'$$, 'param to pgtq trigger given twice', 'Argument: ignore=b', 'Give a list of columns or an expression once, with all that is in it.');
select is(fails($$after insert on tab for each row execute function pgtq.jsontriga('q', 'backup', 'backup')$$, 'insert into tab values (1)'), null, 'a word twice is harmless');

select * from finish();
rollback;
