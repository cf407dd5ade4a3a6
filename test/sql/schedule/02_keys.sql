-- Keys: at most one pending timer per queue and key.
\ir ../common.psql
select plan(29);
select pgtq.create_queue('q'), pgtq.attach_executor('q');

select pgtq.schedule_at('2100-01-01', 'one', key => 'k') as id \gset
select is(pgtq.schedule_at('2100-02-01', 'two', key => 'k'), null, 'keep: null');
select results_eq('select fire_at, action from pgtq.timers where key = $$k$$', $$values ('2100-01-01'::timestamptz, 'one'::text)$$, 'and nothing has changed');
select is(pgtq.schedule_at('2100-03-01', 'three', key => 'k', on_conflict => 'replace'), :id::bigint, 'replace: the same timer');
select results_eq('select id, fire_at, action from pgtq.timers where key = $$k$$', format($$values (%s::bigint, '2100-03-01'::timestamptz, 'three'::text)$$, :id), 'at its new time');
select is(pgtq.schedule_at('2100-04-01', 'four', key => 'k', on_conflict => 'update', timeout_ms => 9), :id::bigint, 'update: the same timer');
select results_eq('select id, fire_at, action, timeout_ms from pgtq.timers where key = $$k$$', format($$values (%s::bigint, '2100-03-01'::timestamptz, 'four'::text, 9)$$, :id), 'with a new action');
select isnt(pgtq.schedule_at('2100-01-01', 'other', key => 'l'), null, 'another key');
select isnt(pgtq.schedule_at('2100-01-01', 'other queue', key => 'k', queue => 'q'), null, 'another queue');
select isnt(pgtq.insert_event_at('q', '2100-01-01', 't', 'd', key => 'e'), null, 'events have keys, too');
select is(pgtq.insert_event_in('q', '1 h', 't', 'd', key => 'e'), null, 'and are kept');
select is(pgtq.insert_event_in('q', '1 h', 't', 'd', key => 'k'), null, 'timers and events share them');

-- debounce, but not for ever
select pgtq.schedule_in('10 minutes', 'flush', key => 'd', on_conflict => 'replace', max_delay => '30 minutes') as id \gset
select is(pgtq.schedule_in('20 minutes', 'flush', key => 'd', on_conflict => 'replace', max_delay => '30 minutes'), :id::bigint, 'put off');
select ok((select fire_at > created_at + interval '19 minutes' from pgtq.timers where key = 'd'), 'by ten minutes');
select is(pgtq.schedule_in('1 hour', 'flush', key => 'd', on_conflict => 'replace', max_delay => '30 minutes', expires_in => '1 minute'), :id::bigint, 'put off once more');
select ok((select fire_at = created_at + interval '30 minutes' from pgtq.timers where key = 'd'), 'but not beyond max_delay');
select ok((select ev_expires = dl_due + interval '1 minute' from pgtq.delay where ev_key = 'd'), 'it expires after that');

-- a timer that has left the store no longer counts
select pgtq.schedule_in('-1 s', 'left', key => 'left') as id \gset
select is((select moved from pgtq._move_due(10)), 1, 'moved');
select isnt(pgtq.schedule_in('1 h', 'left', key => 'left'), null, 'a new one may be scheduled');
select is(pgtq.cancel_key('left'), true, 'cancel_key');
select is(pgtq.cancel_key('left'), false, 'it is gone');
select isnt(pgtq.schedule_in('1 h', 'left', key => 'left'), null, 'cancelled ones do not count either');
select is(pgtq.cancel_key('e'), false, 'cancel_key: not in this queue');
select is(pgtq.cancel_key('e', 'q'), true, 'but in that');
select is(pgtq.cancel_key(key => null), false, 'cancel_key: null');
select is(pgtq.cancel_key('x', queue => 'nope'), false, 'cancel_key: no such queue');

-- in one transaction
begin;
select pgtq.schedule_in('1 h', 'a', key => 'tx');
select coalesce(pgtq.schedule_in('1 h', 'b', key => 'tx'), 0) as id \gset
rollback;
select is(:id, 0, 'one sees one''s own');
select isnt(pgtq.schedule_in('1 h', 'c', key => 'tx'), null, 'and a rollback frees the key');

-- where the latest state cannot be seen
begin isolation level repeatable read;
select error_of($$select pgtq.schedule_in('1 h', 'x', key => 'rr')$$) as error \gset
rollback;
select is((:'error'::text[])[1:2], array['40001', 'could not serialize access: a key needs the latest state'], 'REPEATABLE READ');
begin isolation level serializable;
select error_of($$select pgtq.cancel_key('tx')$$) as error \gset
rollback;
select is((:'error'::text[])[1:2], array['40001', 'could not serialize access: a key needs the latest state'], 'SERIALIZABLE');
select * from finish();
