-- The table changes while its trigger runs: nothing that is remembered of it may be used once it is gone.
begin;
select plan(14);
\ir ../common.psql
\ir took.psql
create table tab (id integer primary key, a text);

-- an expression that makes the session forget all about the table, again and again
create function disturb(i_what text) returns boolean as $$
begin
    execute i_what;
    return true;
end;
$$ language plpgsql;
create function disturbing(i_what text, i_then text) returns void as $$
begin
    execute format('create or replace trigger t after insert or update on tab for each row execute function pgtq.logutriga(%L, %L, %L, %L, %L)',
                   'q', 'backup', format('when=disturb(%L)', i_what), format('ev_extra3=disturb(%L)', i_then), 'ev_extra4=id');
end;
$$ language plpgsql;

select disturbing('grant select on tab to public', 'revoke select on tab from public');
select is(took_extra($$insert into tab select n, 'x' from generate_series(1, 3) n$$), array['public.tab / <null> / t / 1', 'public.tab / <null> / t / 2', 'public.tab / <null> / t / 3'], 'other rights');
select disturbing('analyze tab', 'analyze');
select is(took_extra($$update tab set a = 'y'$$), array['public.tab / id=1&a=x / t / 1', 'public.tab / id=2&a=x / t / 2', 'public.tab / id=3&a=x / t / 3'], 'ANALYZE');
select disturbing('alter table tab rename a to b', 'alter table tab rename b to a');
select is(took($$insert into tab select n, 'x' from generate_series(4, 5) n$$), array['I:id / id=4&a=x', 'I:id / id=5&a=x'], 'a column is renamed, and back');
select disturbing('alter table tab rename to bat', 'alter table bat rename to tab');
select is(took($$insert into tab select n, 'x' from generate_series(6, 7) n$$), array['I:id / id=6&a=x', 'I:id / id=7&a=x'], 'the table is renamed, and back');
select disturbing('create schema passing', 'drop schema passing');
select is(took($$insert into tab select n, 'x' from generate_series(8, 9) n$$), array['I:id / id=8&a=x', 'I:id / id=9&a=x'], 'a schema comes and goes');
select disturbing('discard plans', 'discard plans');
select is(took($$insert into tab select n, 'x' from generate_series(10, 11) n$$), array['I:id / id=10&a=x', 'I:id / id=11&a=x'], 'all plans are discarded');
select disturbing('create or replace function again() returns text as ''select 1::text'' language sql', 'drop function again()');
select is(took($$insert into tab select n, 'x' from generate_series(12, 13) n$$), array['I:id / id=12&a=x', 'I:id / id=13&a=x'], 'functions come and go');

-- the trigger fires inside of itself, and the table has changed in between
create function nest() returns boolean as $$
declare
    _depth integer := current_setting('test.depth')::integer;
begin
    if _depth < 4 then
        perform set_config('test.depth', (_depth + 1)::text, true);
        execute format('alter table tab rename %I to %I', 'a' || _depth, 'a' || _depth + 1);
        execute format('insert into tab values (%s, ''nested'')', 100 + _depth);
    end if;
    return true;
end;
$$ language plpgsql;
set local test.depth = 1;
alter table tab rename a to a1;
create or replace trigger t after insert on tab for each row execute function pgtq.logutriga('q', 'when=nest()', 'ev_extra1=nest()', 'ev_extra2=id');
select is(took($$insert into tab values (100, 'outer')$$), array['I:id / id=103&a4=nested', 'I:id / id=102&a3=nested', 'I:id / id=101&a2=nested', 'I:id / id=100&a1=outer'],
          'nested, and renamed each time');
select is(took($$insert into tab values (110, 'after')$$), array['I:id / id=110&a4=after'], 'and after that');

-- an error in the middle of it
create function fail(i_id integer) returns boolean as $$
begin
    grant select on tab to public;
    return i_id <> 120 or 1 / (i_id - 120) = 1;
end;
$$ language plpgsql;
create or replace trigger t after insert on tab for each row execute function pgtq.logutriga('q', 'when=fail(id)', 'ev_extra2=id');
select is((error_of($$insert into tab values (119, 'x'), (120, 'x')$$))[1], '22012', 'an error after a change');
select is(took($$insert into tab values (121, 'x')$$), array['I:id / id=121&a4=x'], 'and the next row');
alter table tab add column n integer default 5, drop column a4;
select is(took($$insert into tab values (122)$$), array['I:id / id=122&n=5'], 'columns come and go between commands');

-- the trigger itself is replaced by another function
create or replace trigger t after insert on tab for each row execute function pgtq.sqltriga('q', 'ignore=n');
select is(took($$insert into tab values (123)$$), array['I / (id) values (''123'')'], 'another trigger of that name');

-- tables that come and go do not add up in the session's memory (what PL/pgSQL keeps is not counted)
create function many_tables(i_n integer) returns bigint as $$
begin
    for _n in 1 .. i_n loop
        create temp table passing (id integer primary key, a text);
        create trigger t after insert on passing for each row execute function pgtq.logutriga('q', 'ev_extra1=a');
        execute 'insert into passing values (1)';
        drop table passing;
    end loop;
    return (select count(*) from pg_backend_memory_contexts where name = 'pgtq trigger');
end;
$$ language plpgsql;
select cmp_ok(many_tables(20), '<', 5::bigint, 'tables that come and go');

select * from finish();
rollback;
