-- COPY, ON CONFLICT, MERGE, cascades, other triggers, session_replication_role, and a replaced insert_event().
begin;
select plan(23);
\ir ../common.psql
\ir took.psql
create table tab (id integer primary key, a text);
create trigger t after insert or update or delete on tab for each row execute function pgtq.logutriga('q', 'backup');

copy tab from stdin;
1	one
2	\N
\.
select is(array(select ev_data from pgtq.event_template order by ev_id), array['id=1&a=one', 'id=2&a'], 'COPY');
select is(took($$insert into tab values (1, 'x') on conflict (id) do update set a = 'y'$$), array['U:id / id=1&a=y'], 'ON CONFLICT DO UPDATE');
select is(took($$insert into tab values (3, 'x') on conflict (id) do update set a = 'y'$$), array['I:id / id=3&a=x'], 'ON CONFLICT without one');
select is(took($$insert into tab values (3, 'x') on conflict do nothing$$), '{}'::text[], 'ON CONFLICT DO NOTHING');
select is(took($$with gone as (delete from tab where id = 3 returning *) insert into tab select id + 10, a from gone$$), array['D:id / id=3&a=x', 'I:id / id=13&a=x'], 'two commands in one');

select current_setting('server_version_num')::int >= 150000 as has_merge \gset
\if :has_merge
select is(took($$merge into tab using (values (1), (7)) v (i) on v.i = tab.id
                 when matched then update set a = 'merged' when not matched then insert values (v.i, 'new')$$), array['U:id / id=1&a=merged', 'I:id / id=7&a=new'], 'MERGE');
select is(took($$merge into tab using (values (7)) v (i) on v.i = tab.id when matched then delete$$), array['D:id / id=7&a=new'], 'MERGE, DELETE');
\else
select pass('no MERGE'), pass('no MERGE');
\endif

-- foreign keys
create table child (id integer primary key, tab integer references tab on delete cascade);
create table orphan (id integer primary key, tab integer references tab on delete set null);
insert into child values (1, 1), (2, 2);
insert into orphan values (1, 1);
create trigger t after insert or update or delete on child for each row execute function pgtq.sqltriga('q');
create trigger t after insert or update or delete on orphan for each row execute function pgtq.sqltriga('q');
select set_eq($$select unnest(took('delete from tab where id = 1'))$$, array['D:id / id=1&a=merged', 'D / id=''1''', 'U / tab=NULL where id=''1'''], 'cascades');

-- a row that another trigger changes, or takes away
create function upper_a() returns trigger as $$
begin
    if new.a = 'drop' then
        return null;
    end if;
    new.a := upper(new.a);
    return new;
end;
$$ language plpgsql;
create trigger a_change before insert or update on tab for each row execute function upper_a();
select is(took($$insert into tab values (21, 'abc'), (22, 'drop')$$), array['I:id / id=21&a=ABC'], 'what another trigger has made of the row');
create trigger b_early before insert on tab for each row execute function pgtq.jsontriga('q');
select is(took($$insert into tab values (23, 'x')$$), array['{"op":"INSERT","table":["public","tab"],"pkey":["id"]} / {"id":23,"a":"X"}', 'I:id / id=23&a=X'], 'so for BEFORE');

-- a deferred trigger, a rolled back one
create constraint trigger deferred after insert on orphan deferrable initially deferred for each row execute function pgtq.jsontriga('q', 'ev_type=$$deferred$$');
select is(took($$insert into orphan values (5, null)$$), array['I / (id,tab) values (''5'',null)'], 'deferred: not yet');
set constraints all immediate;
select is(array(select ev_type || ev_data from pgtq.event_template), array['deferred{"id":5,"tab":null}'], 'deferred: now');
delete from pgtq.event_template;
savepoint s;
insert into tab values (30, 'x');
rollback to s;
select is((select count(*) from pgtq.event_template), 0::bigint, 'rolled back with its row');

-- session_replication_role
set local session_replication_role = local;
select is(took($$insert into tab values (40, 'local')$$), '{}'::text[], 'local: silent');
create trigger z_deny before insert on tab for each row execute function pgtq.jsontriga('q', 'deny', 'nonsense');
create trigger z_skip before insert on tab for each row execute function pgtq.jsontriga('q', 'SKIP');
select lives_ok($$insert into tab values (41, 'local')$$, 'local: nothing is looked at');
select is((select count(*) from tab where id = 41), 1::bigint, 'local: nor skipped');
drop trigger z_deny on tab;
drop trigger z_skip on tab;
set local session_replication_role = replica;
select is(took($$insert into tab values (42, 'replica')$$), '{}'::text[], 'replica: not fired');
alter table tab enable always trigger t;
select is(took($$insert into tab values (43, 'replica')$$), array['I:id / id=43&a=replica'], 'replica: fired if it is enabled for that');
alter table tab enable replica trigger t;
set local session_replication_role = origin;
select is((took($$insert into tab values (44, 'origin')$$))[1], '{"op":"INSERT","table":["public","tab"],"pkey":["id"]} / {"id":44,"a":"ORIGIN"}', 'origin: not, if it is enabled for replicas');
alter table tab enable trigger t;

-- the settings of the queue hold
select pgtq.set_queue_config('q', 'disable_insert', 'true');
select throws_ok($$insert into tab values (50, 'x')$$, '55000', 'Insert into queue disallowed', 'a queue that takes no events');
select pgtq.set_queue_config('q', 'disable_insert', 'false');

-- a replaced insert_event() is honoured: first its body, then the function as a whole
drop trigger b_early on tab;
create table log (what text);
create or replace function pgtq.insert_event(queue_name text, ev_type text, ev_data text, ev_extra1 text, ev_extra2 text, ev_extra3 text, ev_extra4 text)
returns bigint as $$
    insert into public.log values (concat_ws(' ', $1, $2, $3, $4));
    select 1::bigint;
$$ language sql;
select is(took($$insert into tab values (60, 'x')$$), '{}'::text[], 'insert_event() replaced: nothing in the queue');
select is((select array_agg(what) from log), array['q I:id id=60&a=X public.tab'], 'but in the log');
alter function pgtq.insert_event(text, text, text, text, text, text, text) rename to old_insert_event;
create function pgtq.insert_event(queue_name text, ev_type text, ev_data text, ev_extra1 text, ev_extra2 text, ev_extra3 text, ev_extra4 text)
returns bigint as $$
    insert into public.log values ('new ' || $3);
    select 1::bigint;
$$ language sql;
insert into tab values (61, 'y');
select is((select array_agg(what) from log), array['q I:id id=60&a=X public.tab', 'new id=61&a=Y'], 'another function of that name');

select * from finish();
rollback;
