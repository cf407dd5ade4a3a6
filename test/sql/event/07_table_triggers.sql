-- Triggers that an administrator puts on an event table fire for insert_event(), in both builds.
begin;
select plan(12);
\ir ../common.psql
select pgtq.create_queue('q');
select queue_data_pfx || '_0' as events from pgtq.queue \gset
create table log (n serial, what text);
grant all on log to public;

create function stamp() returns trigger as $$
begin
    if new.ev_type = 'drop' then
        return null;
    end if;
    new.ev_extra4 := 'stamped ' || new.ev_data;
    return new;
end;
$$ language plpgsql;
create function note() returns trigger as $$
begin
    insert into public.log (what) values (format('%s %s %s %s', tg_when, tg_op, tg_level, case when tg_level = 'ROW' then new.ev_data end));
    return null;
end;
$$ language plpgsql;
create function note_table() returns trigger as $$
begin
    insert into public.log (what) select 'new table ' || ev_data from new_rows;
    return null;
end;
$$ language plpgsql;

-- row triggers
create trigger stamp before insert on :events for each row execute function stamp();
create trigger note_row after insert on :events for each row execute function note();
select is(pgtq.insert_event('q', 't', 'one'), 1::bigint, 'an insert with row triggers');
select is((select ev_extra4 from pgtq.event_template where ev_data = 'one'), 'stamped one', 'BEFORE ROW changes the row');
select is((select array_agg(what) from log), array['AFTER INSERT ROW one'], 'AFTER ROW sees the row');
select lives_ok($$select pgtq.insert_event('q', 'drop', 'two')$$, 'BEFORE ROW may skip the row');
select is((select count(*) from pgtq.event_template where ev_data = 'two'), 0::bigint, 'then it is not stored');
select is((select count(*) from log), 1::bigint, 'and AFTER ROW does not fire');
select pgtq.insert_event_raw('q', null, null, null, null, 't', 'raw', null, null, null, null);
select is((select ev_extra4 from pgtq.event_template where ev_data = 'raw'), 'stamped raw', 'raw fires them, too');
set local session_replication_role = replica;
select pgtq.insert_event('q', 't', 'quiet');
set local session_replication_role = origin;
select is((select ev_extra4 from pgtq.event_template where ev_data = 'quiet'), null, 'none under session_replication_role replica');
select format('drop trigger note_row on %s', :'events') \gexec
truncate log;

-- a condition, and a deferred constraint trigger
create trigger note_when after insert on :events for each row when (new.ev_type = 'yes') execute function note();
select pgtq.insert_event('q', 'yes', 'met'), pgtq.insert_event('q', 'no', 'not met');
select is((select array_agg(what) from log), array['AFTER INSERT ROW met'], 'a trigger''s WHEN');
select format('drop trigger note_when on %s', :'events') \gexec
truncate log;
create constraint trigger note_deferred after insert on :events deferrable initially deferred
    for each row execute function note();
select pgtq.insert_event('q', 't', 'deferred');
select is((select count(*) from log), 0::bigint, 'a deferred trigger waits');
set constraints all immediate;
select is((select array_agg(what) from log), array['AFTER INSERT ROW deferred'], 'and fires');
select format('drop trigger note_deferred on %s', :'events') \gexec
truncate log;

-- statement triggers
create trigger note_before before insert on :events for each statement execute function note();
create trigger note_after after insert on :events for each statement execute function note();
create trigger note_table after insert on :events referencing new table as new_rows
    for each statement execute function note_table();
select pgtq.insert_event('q', 't', 'stmt');
select is((select array_agg(what order by n) from log),
          array['BEFORE INSERT STATEMENT ', 'AFTER INSERT STATEMENT ', 'new table stmt'], 'statement triggers');

select * from finish();
rollback;
