-- Who may use the triggers, with whose rights they run, and that a search_path of traps does not matter.
\ir ../common.psql
\ir ../roles/setup.psql
\ir ../roles/hostile.psql
select plan(21);
select pgtq.create_queue('q');
grant usage, create on schema public to :producer, :nobody, :worker;
create table secret (x text);
insert into secret values ('s');
create view stored as select ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4 from pgtq.event_template;

-- CREATE TRIGGER wants EXECUTE on the function
set role :nobody;
create table his (id integer primary key, a text);
select throws_ok($$create trigger t after insert on his for each row execute function pgtq.jsontriga('q')$$, '42501', null, 'nobody cannot make a trigger');
set role :worker;
create table hers (id integer primary key, a text);
select throws_ok(format($$create trigger t after insert on hers for each row execute function pgtq.%s('q')$$, f), '42501', null, 'nor can a reader: ' || f)
  from unnest(array['jsontriga', 'logutriga', 'sqltriga']) f;
set role :producer;
create table tab (id integer primary key, a text, b integer);
create trigger t after insert or update or delete on tab for each row execute function pgtq.logutriga('q', 'ev_extra3=current_user', 'ev_extra4=session_user', 'backup', 'ignore=nosuch');
insert into tab values (1, 'x');
update tab set a = 'y & z';
reset role;
select results_eq('select ev_data, ev_extra2, ev_extra3 from stored', format($$values ('id=1&a=x&b', null, %1$L), ('id=1&a=y+%%26+z&b', 'id=1&a=x&b', %1$L)$$, :'producer'), 'a writer can; expressions run as the user');
delete from pgtq.event_template;

-- whoever changes the table must be allowed to insert events himself
grant all on tab to :nobody;
set role :nobody;
select throws_ok($$insert into tab values (2, 'x')$$, '42501', null, 'not without EXECUTE on insert_event');
reset role;
insert into tab values (3, 'x');
set role :nobody;
select throws_ok($$insert into tab values (2, 'x')$$, '42501', null, 'nor after somebody else in the session');
reset role;
select is((select count(*) from stored), 1::bigint, 'no event of it');
select is((select count(*) from tab where id = 2), 0::bigint, 'and no row');
delete from pgtq.event_template;

-- the trigger's owner gets nothing that the user has not
set role :producer;
create or replace trigger t after insert on tab for each row execute function pgtq.jsontriga('q', 'ev_extra1=(select x from public.secret)');
select throws_ok($$insert into tab values (4)$$, '42501', 'permission denied for table secret', 'an expression cannot read what the user cannot');
create or replace trigger t after insert on tab for each row execute function pgtq.jsontriga('q', 'when=true) as _1 from public.tab) as _e; drop table public.secret; --');
select isnt(error_of($$insert into tab values (4)$$), null, 'nor do what he cannot');
reset role;
select is((select count(*) from secret), 1::bigint, 'the table is still there');

-- what an expression calls current_user
set role :producer;
create or replace trigger t after insert on tab for each row execute function pgtq.sqltriga('q', 'ev_extra1=current_user');
insert into tab values (5);
reset role;
select is((select ev_extra1 from stored), :'producer', 'current_user');
delete from pgtq.event_template;

-- every name of the catalog has a namesake that comes first
create table odd (id integer primary key, t text, n numeric, b boolean, ts timestamptz, arr integer[], j json, d date, _pgtq_ev_extra4 text);
create trigger t1 after insert or update or delete on odd for each row execute function pgtq.jsontriga('q', 'backup', 'ignore=d,j');
create trigger t2 after insert or update or delete on odd for each row execute function pgtq.logutriga('q', 'backup', 'ignore=d,j', 'pkey=id', 'when=id is not null', 'ev_extra3=t');
create trigger t3 after insert or update or delete on odd for each row execute function pgtq.sqltriga('q', 'backup', 'ignore=d,j');
create trigger t4 after truncate on odd for each statement execute function pgtq.jsontriga('q');
grant all on odd to :producer;
create domain evil.text as pg_catalog.text check (false);
create domain evil.record as pg_catalog.int4 check (false);
set search_path = evil, pg_catalog;
set role :producer;
select public.error_of('select length(pg_catalog.text ''x'')') as trap1, public.error_of('select pg_catalog.text ''x'' || pg_catalog.text ''y''') as trap2, public.error_of('select text ''x''') as trap3 \gset
insert into public.odd values (1, 'a "b" & c', 1.50, true, '2020-01-01 00:00+00', '{1,2}', '{}', '2020-01-01', 'extra');
update public.odd set t = 'new', n = null, arr = '{3}';
update public.odd set d = null;
delete from public.odd;
truncate public.odd;
reset role;
reset search_path;
set timezone = 'UTC';
select is(array[(:'trap1'::pg_catalog.text[])[2], (:'trap2'::pg_catalog.text[])[2], (:'trap3'::pg_catalog.text[])[1]],
          array['hostile length runs as ' || :'producer', 'hostile operator runs as ' || :'producer', '23514'], 'the traps are set');
select is(array(select ev_data from pgtq.event_template where ev_type like '{%' order by ev_id), array[
    '{"id":1,"t":"a \"b\" & c","n":"1.50","b":true,"ts":"2020-01-01T00:00:00+00:00","arr":"{1,2}"}',
    '{"id":1,"t":"new","n":null,"b":true,"ts":"2020-01-01T00:00:00+00:00","arr":"{3}"}',
    '{"id":1,"t":"new","n":null,"b":true,"ts":"2020-01-01T00:00:00+00:00","arr":"{3}"}', '{}'], 'JSON');
select is(array(select ev_type || ' ' || ev_data from pgtq.event_template where ev_type like '_:%' order by ev_id), array[
    'I:id id=1&t=a+%22b%22+%26+c&n=1.50&b=t&ts=2020-01-01+00%3a00%3a00%2b00&arr=%7b1%2c2%7d', 'U:id id=1&t=new&n&b=t&ts=2020-01-01+00%3a00%3a00%2b00&arr=%7b3%7d',
    'D:id id=1&t=new&n&b=t&ts=2020-01-01+00%3a00%3a00%2b00&arr=%7b3%7d'], 'urlencoded');
select is(array(select ev_type || ' ' || ev_data from pgtq.event_template where length(ev_type) = 1 order by ev_id), array[
    'I (id,t,n,b,ts,arr) values (''1'',''a "b" & c'',''1.50'',''t'',''2020-01-01 00:00:00+00'',''{1,2}'')', 'U t=''new'',n=NULL,arr=''{3}'' where id=''1''', 'D id=''1'''], 'SQL');
select is((select array_agg(distinct ev_extra4) from stored), array['extra', null], 'extra fields');
select is((select array_agg(distinct ev_extra3) from stored), array['a "b" & c', 'new', null], 'and expressions');

-- who may what
select is((select count(*) from pg_proc p, aclexplode(proacl) a where proname in ('jsontriga', 'logutriga', 'sqltriga') and a.grantee = 'pgtq_writer'::regrole and pronamespace = 'pgtq'::regnamespace), 3::bigint, 'granted to writers');
select is((select count(*) from pg_proc p where proname ~ 'triga|_trigger' and pronamespace = 'pgtq'::regnamespace and prosecdef), 0::bigint, 'none is SECURITY DEFINER');
drop table tab, his, hers, odd, secret cascade;
select * from finish();
\ir ../roles/teardown.psql
