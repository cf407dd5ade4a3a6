-- An insert that fails takes its lock along when the savepoint is rolled back; the next one locks again.
select plan(3);
select pgtq.create_queue('q');
select queue_data_pfx || '_0' as events from pgtq.queue \gset
select format('alter table %s add constraint short check (length(ev_data) < 10)', :'events') \gexec
create function locked() returns boolean as $$
    select exists (select from pg_locks where pid = pg_backend_pid() and mode = 'RowExclusiveLock'
                      and relation = (select queue_data_pfx || '_0' from pgtq.queue)::regclass);
$$ language sql;

begin;
savepoint s;
\set ON_ERROR_STOP 0
\set VERBOSITY sqlstate
select pgtq.insert_event('q', 't', 'much too long');
\set ON_ERROR_STOP 1
rollback to s;
select ok(not locked(), 'rolled back, with the lock');
select pgtq.insert_event('q', 't', 'good');
select ok(locked(), 'locked again');
commit;
select is((select count(*) from pgtq.event_template), 1::bigint, 'one event');
select * from finish();
