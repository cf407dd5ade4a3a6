-- 'now' in an expression is the time of each change, also in a session that has seen many: in transactions of their own.
select plan(2);
create table tab (id integer primary key);
select pgtq.create_queue('q');
create trigger t after insert on tab for each row
    execute function pgtq.logutriga('q', 'ev_extra1=''now''::timestamptz', 'ev_extra2=''today''::date', 'ev_extra3=now()');
insert into tab values (1);
insert into tab values (2);
insert into tab values (3);
select is(count(distinct ev_extra1), 3::bigint, 'each its own') from pgtq.event_template;
select is(array_agg(ev_extra1 = ev_extra3 and ev_extra2 = ev_extra3::date::text), '{t,t,t}', 'that of the change') from pgtq.event_template;
drop table tab;
select pgtq.drop_queue('q');
select * from finish();
