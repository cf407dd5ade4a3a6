-- Constraints and indexes that an administrator puts on an event table work for insert_event(), in both builds.
begin;
select plan(8);
select pgtq.create_queue('q');
select queue_data_pfx || '_0' as events from pgtq.queue \gset
select pgtq.insert_event('q', 't', 'one');

select format('alter table %s add constraint short check (length(ev_data) < 10)', :'events') \gexec
select throws_ok($$select pgtq.insert_event('q', 't', 'much too long')$$, '23514', null, 'a check constraint');
select format('alter table %s alter column ev_type set not null', :'events') \gexec
select throws_ok($$select pgtq.insert_event('q', null, 'd')$$, '23502', null, 'a not null constraint');
select format('create unique index on %s (ev_data)', :'events') \gexec
select throws_ok($$select pgtq.insert_event('q', 't', 'one')$$, '23505', null, 'a unique index');
select format('create index on %s (lower(ev_data)) where ev_type = ''t''', :'events') \gexec
select lives_ok($$select pgtq.insert_event('q', 't', 'INDEXED')$$, 'an index with an expression and a condition');
set local enable_seqscan = off;
select is((select count(*) from :events where lower(ev_data) = 'indexed' and ev_type = 't'), 1::bigint, 'it has the event');
reset enable_seqscan;
create table kinds (kind text primary key);
insert into kinds values ('t');
select format('alter table %s add foreign key (ev_extra1) references kinds', :'events') \gexec
select throws_ok($$select pgtq.insert_event('q', 't', 'fk bad', 'x', null, null, null)$$, '23503', null, 'a foreign key');
select lives_ok($$select pgtq.insert_event('q', 't', 'fk good', 't', null, null, null)$$, 'a foreign key that is met');
select is((select array_agg(ev_data order by ev_id) from pgtq.event_template), array['one', 'INDEXED', 'fk good'],
          'what was refused is not stored');

select * from finish();
rollback;
