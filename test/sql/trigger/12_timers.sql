-- timertriga(): a changed row makes, moves or cancels a timer.
begin;
select plan(62);
\ir ../common.psql
\ir timers.psql
create table orders (id integer primary key, status text, due timestamptz, wait interval);

-- when an order becomes unpaid, cancel it in 30 minutes; when it becomes paid, cancel the timer
create trigger unpaid after insert or update or delete on orders for each row execute function pgtq.timertriga('timers', 'in=''30 minutes''',
    'action=format(''update orders set status = %L where id = %s'', ''cancelled'', id)', 'when=status = ''unpaid'' and old.status is distinct from status', 'cancel_when=status = ''paid''');
\set one '''public.orders:1 / 30 min / update orders set status = ''''cancelled'''' where id = 1'''
\set two '''public.orders:2 / 30 min / update orders set status = ''''cancelled'''' where id = 2'''
select is(timers_after($$insert into orders values (1, 'new')$$), '{}', 'INSERT: nothing yet');
select is(timers_after($$update orders set status = 'unpaid'$$), array[:one], 'UPDATE makes a timer');
select is(timers_after($$insert into orders values (2, 'unpaid')$$), array[:one, :two], 'INSERT makes one');
select id as first from pgtq.timers where key = 'public.orders:1' \gset
select pgtq.reschedule(:first, '2100-01-01');
select is((timers_after($$update orders set due = now()$$))[1], replace(:one, '30 min', '2100-01-01 00:00'), 'an UPDATE of something else leaves it alone');
select is(timers_after($$update orders set status = 'held' where id = 1; update orders set status = 'unpaid' where id = 1$$), array[:one, :two], 'the next one moves it');
select is((select id from pgtq.timers where key = 'public.orders:1'), :first::bigint, 'it is the same timer');
select is(timers_after($$update orders set status = 'paid' where id = 1$$), array[:two], 'paid: cancelled');
select is((select state from pgtq.timers where id = :first), 'cancelled', 'and noted');
select is(timers_after($$update orders set status = 'paid' where id = 1$$), array[:two], 'paid again: nothing to cancel');
select is(timers_after($$delete from orders where id = 2$$), '{}', 'DELETE cancels');
select is(timers_after($$delete from orders$$), '{}', 'DELETE without a timer');
select is(timers_after($$insert into orders select n, 'unpaid' from generate_series(1, 2) n$$), array[:one, :two], 'many rows');
savepoint s;
delete from orders;
rollback to s;
select is(timers_after('select 1'), array[:one, :two], 'rolled back with the change');
select is((select array_agg(distinct concat_ws(' ', queue, scheduled_by, timeout_ms)) from pgtq.timers where state = 'pending'), array['timers ' || current_user || ' 0'], 'queue and owner');
drop trigger unpaid on orders;
delete from orders;
select pgtq.cancel_key('public.orders:1'), pgtq.cancel_key('public.orders:2');

-- at=, and what types it takes
select pgtq.create_queue('q'), pgtq.attach_executor('q');
set local timezone = 'Europe/Berlin';
select timed('orders', 'q', 'at=due', 'action=''a''');
select is(timers_after($$insert into orders values (1, 'x', '2100-01-01 00:00:00+00')$$), array['public.orders:1 / 2100-01-01 00:00 / a'], 'at=, without when=');
select is((select queue from pgtq.timers where state = 'pending'), 'q', 'another queue');
select is(timers_after($$update orders set due = '2200-01-01 00:00:00+00'$$), array['public.orders:1 / 2200-01-01 00:00 / a'], 'moved');
select timed('orders', 'q', 'at=due::date', 'action=''a''');
select is(timers_after($$update orders set due = '2100-01-01 12:00:00+00'$$), array['public.orders:1 / 2099-12-31 23:00 / a'], 'a date, in the session''s time zone');
select timed('orders', 'q', 'at=due at time zone ''UTC''', 'action=''a''');
select is(timers_after($$update orders set due = '2100-01-01 12:00:00+00'$$), array['public.orders:1 / 2100-01-01 11:00 / a'], 'a timestamp');
select timed('orders', 'q', 'at=''2300-01-01 00:00:00+00''', 'action=''a''');
select is(timers_after($$update orders set due = null$$), array['public.orders:1 / 2300-01-01 00:00 / a'], 'a literal');
select timed('orders', 'q', 'at=status', 'action=''a''');
select is(timers_after($$update orders set status = '2400-01-01 00:00:00+00'$$), array['public.orders:1 / 2400-01-01 00:00 / a'], 'a text');
set local datestyle = 'SQL, DMY';
set local timezone = 'Asia/Kolkata';
set local intervalstyle = 'sql_standard';
select timed('orders', 'q', 'at=due + ''1.000001 s''', 'action=status');
update orders set due = '2100-02-01 00:00:00+00', status = 's';
select is((select fire_at from pgtq.timers where state = 'pending'), timestamptz '01-02-2100 00:00:01.000001+00', 'to the microsecond, whatever the session''s format');
select timed('orders', 'q', 'in=wait', 'action=status');
update orders set wait = '1 day -5 minutes';
select cmp_ok((select fire_at - clock_timestamp() from pgtq.timers where state = 'pending'), '>', interval '23 hours 54 minutes', 'in=, whatever the format');
reset intervalstyle;
reset datestyle;
reset timezone;
select timed('orders', 'q', 'in=make_interval(mins => 10 + id) -- really', 'action=''a'' /* this */', 'when=true -- always');
select is(timers_after($$update orders set status = 's'$$), array['public.orders:1 / 11 min / a'], 'comments');
select timed('orders', 'q', 'in=make_interval(mins => 10 + id)', 'action=true');
select is(timers_after($$update orders set status = 's'$$), array['public.orders:1 / 11 min / t'], 'an action as its type writes it');
select is(timers_after($$update orders set wait = null; delete from orders$$), '{}', 'DELETE evaluates nothing but the key');

-- when=, cancel_when=
select timed('orders', 'q', 'in=wait', 'action=status', 'when=id > 1', 'cancel_when=status = ''off''');
select is(timers_after($$insert into orders values (1, 'a', null, '5 min'), (2, 'b', null, '6 min')$$), array['public.orders:2 / 6 min / b'], 'when=');
select is(timers_after($$update orders set status = 'off', wait = null$$), '{}', 'cancel_when= comes first: nothing else is evaluated');
select timed('orders', 'q', 'in=wait', 'action=status', 'when=1 / (id - 1) > 0', 'cancel_when=id = 1');
select is(timers_after($$update orders set status = 'c', wait = '7 min'$$), array['public.orders:2 / 7 min / c'], 'nor is when=');
select timed('orders', 'q', 'in=1/(id-2) * wait', 'action=status', 'when=id <> 2');
select is(timers_after($$update orders set status = 'c' where id = 2$$), array['public.orders:2 / 7 min / c'], 'where when= is false nothing else is evaluated');
select timed('orders', 'q', 'cancel_when=new.status = ''stop''');
select is(timers_after($$update orders set status = 'go'$$), array['public.orders:2 / 7 min / c'], 'a trigger that only cancels: no');
select is(timers_after($$update orders set status = 'stop'$$), '{}', 'a trigger that only cancels: yes');
select timed('orders', 'q', 'in=wait', 'action=new.status || (select count(*) from orders)', 'when=exists (select from orders o where o.id = orders.id)');
select is(timers_after($$insert into orders values (3, 'n', null, '8 min')$$), array['public.orders:3 / 8 min / n3'], 'queries; the change is seen');
delete from orders;

-- key=
create table payment (id integer, order_id integer);
select timed('orders', 'q', 'in=''1 h''', 'action=status', 'key=''order '' || id');
create trigger stop after insert on payment for each row execute function pgtq.timertriga('q', 'key=''order '' || order_id', 'cancel_when=true');
select is(timers_after($$insert into orders values (1, 'a'), (2, 'b')$$), array['order 1 / 60 min / a', 'order 2 / 60 min / b'], 'key=');
select is(timers_after($$insert into payment values (1, 1)$$), array['order 2 / 60 min / b'], 'cancelled through another table, which has no primary key');
select is(timers_after($$update orders set id = 3 where id = 2$$), array['order 2 / 60 min / b', 'order 3 / 60 min / b'], 'a key= that changes is another key');
select is(timers_after($$delete from orders where id = 3$$), array['order 2 / 60 min / b'], 'DELETE takes the old row''s');
select timed('orders', 'q', 'in=''1 h''', 'action=id', 'key=7');
select is(timers_after($$update orders set status = 'z'; insert into orders values (9, $q$n$q$)$$), array['7 / 60 min / 9', 'order 2 / 60 min / b'], 'one timer for a table');
select pgtq.cancel_key('7', 'q'), pgtq.cancel_key('order 2', 'q');

-- values never become SQL
select timed('orders', 'q', 'in=''1 h''', 'action=status', 'key=status');
select is(timers_after($$insert into orders values (10, ''' || (select 1) || $1 ;')$$), array[''' || (select 1) || $1 ; / 60 min / '' || (select 1) || $1 ;'], 'a value that looks like SQL');
delete from orders;

-- keys that are made of the primary key
create schema "odd "".s";
create table "odd "".s"."a:b" (x text, z integer, "y ""y" text, primary key ("y ""y", x));
select timed('"odd "".s"."a:b"', 'q', 'in=''1 h''', 'action=z');
select is(timers_after($$insert into "odd "".s"."a:b" values ('a,b', 1, 'c'), ('a', 2, 'b,c'), ('ä é', 3, ''), ('', 4, '%')$$), array[
    '"odd "".s"."a:b":%25, / 60 min / 4', '"odd "".s"."a:b":,%c3%a4+%c3%a9 / 60 min / 3', '"odd "".s"."a:b":b%2cc,a / 60 min / 2', '"odd "".s"."a:b":c,a%2cb / 60 min / 1'], 'quoted, encoded, in the order of the key');
select is(timers_after($$delete from "odd "".s"."a:b"$$), '{}', 'and found again');
create table old (old integer primary key, new text);
select timed('old', 'q', 'in=''1 h''', 'action=old.new');
select is(timers_after($$insert into old values (1, 'n')$$), array['public.old:1 / 60 min / n'], 'a table called old');
delete from old;
create table types (n numeric, b boolean, t timestamptz, u uuid, c char(3), y bytea, primary key (n, b, t, u, c, y));
select timed('types', 'q', 'in=''1 h''', 'action=''a''');
select is(timers_after($$insert into types values (1.50, true, '2020-01-01', '00000000-0000-0000-0000-000000000001', 'x', '\x00ff')$$),
    array['public.types:1.50,t,2020-01-01+00%3a00%3a00%2b00,00000000-0000-0000-0000-000000000001,x++,%5cx00ff / 60 min / a'], 'values as their types write them');
delete from types;

-- partitions: a row has one key, wherever it is
create table part (id integer primary key, a text) partition by range (id);
create table part1 partition of part for values from (0) to (10);
create table part2 (gone integer, a text, id integer not null);
alter table part2 drop column gone;
alter table part attach partition part2 for values from (10) to (20);
select timed('part', 'q', 'in=''1 h''', 'action=a');
select is(timers_after($$insert into part values (1, 'x'), (11, 'y')$$), array['public.part:1 / 60 min / x', 'public.part:11 / 60 min / y'], 'partitions have the key of the root');
select is(timers_after($$update part set id = 15 where id = 1$$), array['public.part:11 / 60 min / y', 'public.part:15 / 60 min / x'], 'from one partition to another');
select is(timers_after($$delete from part2 where id = 15$$), array['public.part:11 / 60 min / y'], 'a partition itself');
alter table part rename to whole;
select is(timers_after($$update whole set a = 'z'$$), array['public.part:11 / 60 min / y', 'public.whole:11 / 60 min / z'], 'a renamed root is another key');
delete from whole;
select pgtq.cancel_key('public.part:11', 'q');
create table loose (id integer, a text) partition by list (a);
create table loose1 partition of loose (primary key (id)) for values in ('1');
create table loose2 partition of loose (primary key (id)) for values in ('2');
select timed('loose', 'q', 'in=''1 h''', 'action=a');
select is(timers_after($$insert into loose values (1, '1'), (1, '2')$$), array['public.loose1:1 / 60 min / 1', 'public.loose2:1 / 60 min / 2'], 'unless the root has no primary key');
delete from loose;

-- a table that is altered in between
create table tab (id integer primary key, a text);
select timed('tab', 'q', 'in=''1 h''', 'action=a');
insert into tab values (1, 'x');
alter table tab rename id to nr;
alter table tab add column b integer;
select is(timers_after($$update tab set a = 'y'$$), array['public.tab:1 / 60 min / y'], 'a renamed column');
alter table tab drop constraint tab_pkey;
select is((error_of($$update tab set a = 'y'$$))[2], 'timer trigger on table without pkey', 'a key that is gone');
alter table tab add primary key (a, nr);
select is(timers_after($$update tab set b = 1$$), array['public.tab:1 / 60 min / y', 'public.tab:y,1 / 60 min / y'], 'another key');

select pgtq.cancel_key('public.tab:1', 'q');

-- a table that changes while its trigger runs, and a trigger that fires inside of itself
delete from tab;
alter table tab drop constraint tab_pkey, add primary key (nr);
create function disturb(i_sql text) returns boolean as $$
begin
    execute i_sql;
    return true;
end;
$$ language plpgsql;
select timed('tab', 'q', 'cancel_when=not disturb(''grant select on tab to public'')', 'when=disturb(''revoke select on tab from public'')',
             'in=case when disturb(''discard plans'') then interval ''1 h'' end', 'action=case when disturb(''alter table tab rename a to c'') and disturb(''alter table tab rename c to a'') then a end');
select is(timers_after($$insert into tab select n, 'v' || n from generate_series(1, 3) n$$), array['public.tab:1 / 60 min / v1', 'public.tab:2 / 60 min / v2', 'public.tab:3 / 60 min / v3'], 'altered by its own expressions');
select timed('tab', 'q', 'in=''1 h''', 'action=case when nr < 3 and disturb(format(''update tab set a = a || %L where nr = %s'', ''!'', nr + 1)) then a else ''last'' end');
select is(timers_after($$update tab set a = 'outer' where nr = 1$$), array['public.tab:1 / 60 min / outer', 'public.tab:2 / 60 min / v2!', 'public.tab:3 / 60 min / last'], 'nested');
delete from tab;

-- cascades, ON CONFLICT, COPY
create table parent (id integer primary key);
create table child (id integer primary key, parent integer references parent on delete cascade);
select timed('child', 'q', 'in=''1 h''', 'action=parent');
select is(timers_after($$insert into parent values (1); insert into child values (7, 1), (8, 1)$$), array['public.child:7 / 60 min / 1', 'public.child:8 / 60 min / 1'], 'two children');
select is(timers_after($$delete from parent$$), '{}', 'a cascade');
insert into parent values (1);
copy child from stdin;
5	1
6	1
\.
select is(timers_after('select 1'), array['public.child:5 / 60 min / 1', 'public.child:6 / 60 min / 1'], 'COPY');
select is(timers_after($$insert into child values (5, 1), (6, 1) on conflict (id) do nothing; delete from child where id = 5$$), array['public.child:6 / 60 min / 1'], 'ON CONFLICT DO NOTHING');
delete from child;
create constraint trigger deferred after insert on child deferrable initially deferred for each row execute function pgtq.timertriga('q', 'in=''1 h''', 'action=''late''', 'key=''late''');
drop trigger timed on child;
select is(timers_after($$insert into child values (1, null)$$), '{}', 'deferred: not yet');
select is(timers_after($$set constraints all immediate$$), array['late / 60 min / late'], 'deferred: now');
select pgtq.cancel_key('late', 'q');
insert into tab values (1, 'y');

-- session_replication_role
set local session_replication_role = local;
select is(timers_after($$update tab set b = 1; delete from tab$$), array['public.tab:1 / 60 min / y'], 'local: silent');
create trigger early before insert on tab for each row execute function pgtq.timertriga('q', 'nonsense');
select is(timers_after($$insert into tab values (2, 'b')$$), array['public.tab:1 / 60 min / y'], 'local: nothing is looked at');
select is((select count(*) from tab), 1::bigint, 'local: nor skipped');

select * from finish();
rollback;
