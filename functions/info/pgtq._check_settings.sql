create or replace function pgtq._check_settings(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Settings of the server that will hurt.  Each line of the list is a setting and what is wrong with it.
declare
    _bad    text;
    _need   integer;
begin
    name := 'settings';
    -- launcher, ticker, executor, maintenance and the sessions, for this database alone
    _need := case when pgtq._workers_run() then 4 + current_setting('pgtq.max_sessions')::integer else 0 end;
    select string_agg(c.what, '; ') into _bad
      from (values
        (current_setting('autovacuum') = 'off',
         'autovacuum is off: the rings need none, but the catalogs and the tables of queues and consumers do'),
        (current_setting('fsync') = 'off', 'fsync is off: a crash of the machine loses what was committed'),
        (current_setting('full_page_writes') = 'off', 'full_page_writes is off: a crash of the machine can destroy tables'),
        (current_setting('max_worker_processes')::integer < _need,
         format('max_worker_processes is %s, and pgtq alone may want %s in this database', current_setting('max_worker_processes'), _need)),
        (exists (select from pg_class r
                  where r.relnamespace = 'pgtq'::regnamespace and r.relkind = 'r'
                    and r.relname ~ '^(event|tick)_[0-9]+_[0-9]+$|^(delay|position|history|done)_[0-9]+$'
                    and not coalesce('autovacuum_enabled=off' = any (r.reloptions) or 'autovacuum_enabled=false' = any (r.reloptions), false)),
         'autovacuum is on for a table of a ring: it would read what TRUNCATE is about to remove')
      ) c (is_so, what)
     where c.is_so;
    if _bad is null then
        status := 'ok';
        seen := 'none that hurts';
    else
        status := 'warn';
        seen := _bad;
        hint := 'Change them; docs/operations.md tells why.';
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_settings() is 'Internal: a check of health(): settings that hurt';
