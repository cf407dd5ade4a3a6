-- Under session_replication_role = replica the triggers that requests need do not fire: each call is refused, none is
-- silently lost.
begin;
select plan(14);
\ir ../common.psql
select pgtq.create_queue('q');
select pgtq.schedule_in('1 hour', 'select 1', key => 'k') as timer \gset
set local session_replication_role = replica;
select throws_ok(call, '55000', 'timers cannot be changed under session_replication_role = replica', call)
  from unnest(array[$$select pgtq.schedule_at(now(), 'select 1')$$, $$select pgtq.schedule_in('1 hour', 'select 1', key => 'x')$$,
                    $$select pgtq.schedule_many(array[now()], array['select 1'])$$, $$select pgtq.insert_event_at('q', now(), 't', 'd')$$,
                    $$select pgtq.insert_event_in('q', '1 s', 't', 'd')$$, format('select pgtq.cancel(%s)', :timer), $$select pgtq.cancel_key('k')$$,
                    format('select pgtq.cancel_many(array[%s])', :timer), format('select pgtq.reschedule(%s, now())', :timer),
                    format('select pgtq.fire(%s)', :timer), format('select pgtq.replay(%s)', :timer), $$select pgtq.purge()$$]) call;
select is((select state from pgtq.timers where id = :timer), 'pending', 'nothing was done');
set local session_replication_role = local;
select ok(pgtq.cancel(:timer), 'under local it is');
select * from finish();
rollback;
