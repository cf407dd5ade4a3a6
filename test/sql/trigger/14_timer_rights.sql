-- Whose timers timertriga() makes, isolation levels, and the helpers that write the DDL.
\ir ../common.psql
\ir timers.psql
\ir ../roles/setup.psql
\ir ../roles/hostile.psql
select plan(48);
grant usage, create on schema public to :producer, :nobody, :worker;
create table secret (x text);
\set other :DBNAME '_other'
create role :other in role pgtq_writer;

-- who may make one
set role :worker;
create table hers (id integer primary key, a text);
select throws_ok($$create trigger t after insert on hers for each row execute function pgtq.timertriga('timers', 'cancel_when=true')$$, '42501', null, 'a reader cannot');
select throws_ok($$select pgtq.create_timer_trigger('hers', cancel_when => 'true')$$, '42501', null, 'nor with the helper');
set role :producer;
create table tab (id integer primary key, a text);
select is(pgtq.create_timer_trigger('tab', action => $$format('select %L', a)$$, fire_in => $$'1 hour'$$, cancel_when => $$a = 'off'$$), 'timertriga', 'create_timer_trigger');
reset role;
grant all on tab to :other, :nobody, :worker;
select is((select pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'tab'::regclass),
    $$CREATE TRIGGER timertriga AFTER INSERT OR DELETE OR UPDATE ON public.tab FOR EACH ROW EXECUTE FUNCTION pgtq.timertriga('timers', 'in=''1 hour''', 'action=format(''select %L'', a)', 'cancel_when=a = ''off''')$$, 'the trigger');

-- the timer is that of whoever changes the table
set role :producer;
select is(timers_after($$insert into tab values (1, 'x')$$), array['public.tab:1 / 60 min / select ''x'''], 'his timer');
set role :other;
insert into tab values (2, 'y');
select is((error_of($$update tab set a = 'z' where id = 1$$))[1], '42501', 'another cannot move it');
select is((error_of($$update tab set a = 'off' where id = 1$$))[1], '42501', 'nor cancel it');
select is((error_of($$delete from tab where id = 1$$))[1], '42501', 'nor by DELETE');
select is((select a from tab where id = 1), 'x', 'the row stays as it is');
set role :nobody;
select is((error_of($$insert into tab values (3, 'x')$$))[1], '42501', 'who may not schedule may not change the table');
set role :worker;
select is((error_of($$insert into tab values (3, 'x')$$))[1], '42501', 'nor may a reader');
reset role;
select results_eq($$select key, scheduled_by::text collate "default" from pgtq.timers where state = 'pending' order by 1$$,
                  format($$values ('public.tab:1', %L), ('public.tab:2', %L)$$, :'producer', :'other'), 'each has his own');
grant all on tab to :boss;
set role :boss;
select is(error_of($$update tab set a = 'off' where id = 1$$), null, 'pgtq_admin may cancel it');
reset role;
create function set_a(i_id integer, i_a text) returns void as $$ update public.tab set a = i_a where id = i_id $$ language sql security definer;
alter function set_a(integer, text) owner to :producer;
set role :other;
select set_a(1, 'new');
reset role;
select is((select scheduled_by::text from pgtq.timers where key = 'public.tab:1' and state = 'pending'), :'producer', 'through a SECURITY DEFINER function it is its owner''s');

-- the trigger's owner gets nothing that the user has not
set role :producer;
create or replace trigger timertriga after insert on tab for each row execute function pgtq.timertriga('timers', 'in=''1 h''', 'action=(select x from public.secret)');
select throws_ok($$insert into tab values (4)$$, '42501', 'permission denied for table secret', 'an expression cannot read what the user cannot');

-- isolation levels
create or replace trigger timertriga after insert or update or delete on tab for each row execute function pgtq.timertriga('timers', 'in=''1 h''', 'action=a', 'when=a = ''y''', 'cancel_when=a = ''off''');
begin isolation level repeatable read;
select error_of($$insert into tab values (5, 'y')$$) as scheduled, error_of($$insert into tab values (5, 'off')$$) as cancelled, error_of($$delete from tab where id = 1$$) as deleted \gset
insert into tab values (5, 'x');
commit;
select is((:'scheduled'::text[])[1:2], array['40001', 'could not serialize access: a key needs the latest state'], 'REPEATABLE READ: no timer');
select is((:'cancelled'::text[])[1], '40001', 'nor cancelling');
select is((:'deleted'::text[])[1], '40001', 'nor DELETE');
select is((select count(*) from tab where id = 5), 1::bigint, 'but a change that does nothing to a timer');
select pgtq.cancel_key('public.tab:1');

-- a search_path of traps
create table odd (id text, n numeric, ts timestamptz, primary key (id, n, ts));
reset role;
select error_of($$set local search_path = evil, pg_catalog; select length('x')$$) as trap \gset
set role :producer;
set search_path = evil, pg_catalog, public;
create trigger t after insert or update or delete on public.odd for each row execute function pgtq.timertriga('timers', 'at=ts', 'action=n', 'when=n is not null', 'cancel_when=n is null');
insert into public.odd values ('a b', 1.50, '2100-01-01');
update public.odd set id = id;
reset search_path;
select is((:'trap'::text[])[2], 'hostile length runs as ' || session_user, 'the traps are set');
select is(timers_after('select 1'), array['public.odd:a+b,1.50,2100-01-01+00%3a00%3a00%2b00 / 2100-01-01 00:00 / 1.50'], 'scheduled');
set search_path = evil, pg_catalog, public;
delete from public.odd;
select pgtq.drop_timer_trigger('public.odd', 't');
select pgtq.create_timer_trigger('public.odd', cancel_when => 'true', name => 't2');
reset search_path;
select is(timers_after('select 1'), '{}', 'cancelled');
select is((select array_agg(tgname::text) from pg_trigger where tgrelid = 'odd'::regclass), array['t2'], 'the helpers, too');

-- helpers: every argument, and quoting
create table "o'd ""d" ("i d" integer primary key, "at" timestamptz);
select is(pgtq.create_timer_trigger('"o''d ""d"', $$'it''s '|| "i d"$$, fire_at => '"at"', schedule_when => $$"i d" > 0 and '\x' = '\x'$$,
                                    cancel_when => '"i d" < 0', key => '''k '' || "i d"', queue => 'q''q', name => 'na"me'), 'na"me', 'the name');
select is((select pg_get_triggerdef(oid) from pg_trigger where tgname = 'na"me'),
    $$CREATE TRIGGER "na""me" AFTER INSERT OR DELETE OR UPDATE ON public."o'd ""d" FOR EACH ROW EXECUTE FUNCTION pgtq.timertriga('q''q', 'key=''k '' || "i d"', 'at="at"', 'action=''it''''s ''|| "i d"', 'when="i d" > 0 and ''\x'' = ''\x''', 'cancel_when="i d" < 0')$$, 'every argument');
reset role;
select pgtq.create_queue('q''q'), pgtq.attach_executor('q''q');
set role :producer;
select is(timers_after($$insert into "o'd ""d" values (0, '2100-01-01'), (1, '2100-01-01')$$), array['k 1 / 2100-01-01 00:00 / it''s 1'], 'it works');
select is(pgtq.create_timer_trigger('tab', cancel_when => 'true', name => repeat('n', 70)), repeat('n', 63), 'the name that the trigger has');
select lives_ok(format('select pgtq.drop_timer_trigger(%L, %L)', 'tab', repeat('n', 70)), 'by which it is found again');
select throws_ok($$select pgtq.create_timer_trigger('tab', cancel_when => 'true')$$, '42710', null, 'the name is taken');
select is(error_of($$select pgtq.create_timer_trigger('tab', action => 'a', name => 'n')$$),
          array['22023', 'timer trigger must have action= and one of at= and in=', '', 'A trigger that only cancels has none of them, and no when=, but cancel_when=.'], 'arguments that do not go together');
select is((error_of($$select pgtq.create_timer_trigger('tab', action => 'a', fire_in => 'b', fire_at => 'c', name => 'n')$$))[2], 'timer trigger has both at= and in=', 'nor do these');
select is((error_of($$select pgtq.create_timer_trigger('tab', cancel_when => 'true', queue => null)$$))[1:2], array['22004', 'Queue name must not be NULL'], 'no queue');
select is((error_of($$select pgtq.create_timer_trigger(null, cancel_when => 'true')$$))[1:2], array['22004', 'a trigger needs a table and a name'], 'no table');
select is((error_of($$select pgtq.create_timer_trigger('tab', cancel_when => 'true', name => null)$$))[1:2], array['22004', 'a trigger needs a table and a name'], 'no name');
select is((error_of($$select pgtq.create_timer_trigger('tab', action => ')', fire_in => $q$'1 h'$q$, key => 'id', name => 'n')$$))[1], '42601', 'not SQL');
select is((error_of($$select pgtq.create_timer_trigger('tab', action => 'nosuch', fire_in => $q$'1 h'$q$, key => 'id', name => 'n')$$))[1:2], array['42703', 'column "nosuch" does not exist'], 'no such column');
select is((error_of($$select pgtq.create_timer_trigger('tab', cancel_when => 'a', name => 'n')$$))[1:2], array['42804', 'argument of CASE/WHEN must be type boolean, not type text'], 'no condition');
select is((select count(*) from pg_prepared_statements), 0::bigint, 'nothing is left behind');
select is(pgtq.create_timer_trigger('tab', action => '1', fire_in => $$'1 h'$$, key => 'id', name => 'keyed'), 'keyed', 'a second one with another key');
select is(error_of($$select pgtq.create_timer_trigger('tab', action => '1', fire_in => $q$'1 h'$q$, name => 'n')$$),
          array['42710', 'timers of trigger "timertriga" have the same keys', '', 'Say with key what the key of a timer is.'], 'with the same key');
select pgtq.drop_timer_trigger('tab', 'keyed');
set role :other;
select is((error_of($$select pgtq.create_timer_trigger('secret', cancel_when => 'true', key => '1')$$))[1], '42501', 'not on another''s table');
select is((error_of($$select pgtq.drop_timer_trigger('tab')$$))[1], '42501', 'nor dropping it');
set role :producer;
create trigger other after insert on tab for each row execute function pgtq.jsontriga('q');
select is((error_of($$select pgtq.drop_timer_trigger('tab', 'other')$$))[1:2], array['42704', 'table public.tab has no timer trigger "other"'], 'not a trigger of another kind');
select is((error_of($$select pgtq.drop_timer_trigger('tab', 'nosuch')$$))[1], '42704', 'nor one that is not there');
select pgtq.drop_timer_trigger('tab'), pgtq.drop_timer_trigger('"o''d ""d"', 'na"me');
select is((select count(*) from pg_trigger where tgrelid in ('tab'::regclass, '"o''d ""d"'::regclass)), 1::bigint, 'dropped');
select is(timers_after('select 1'), array['k 1 / 2100-01-01 00:00 / it''s 1'], 'what is pending stays');
reset role;

-- who may what
select is((select count(*) from pg_proc p, aclexplode(proacl) a where proname in ('timertriga', 'create_timer_trigger', 'drop_timer_trigger') and a.grantee = 'pgtq_writer'::regrole and pronamespace = 'pgtq'::regnamespace), 3::bigint, 'granted to writers');
select is((select count(*) from pg_proc p where proname ~ 'triga|_trigger|_timer_arg' and pronamespace = 'pgtq'::regnamespace and prosecdef), 0::bigint, 'none is SECURITY DEFINER');
drop table tab, hers, odd, "o'd ""d", secret cascade;
drop function set_a(integer, text);
drop owned by :other;
drop role :other;
select * from finish();
\ir ../roles/teardown.psql
