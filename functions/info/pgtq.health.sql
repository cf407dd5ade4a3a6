create or replace function pgtq.health(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- What a DBA should know, one row per check: status is ok, warn or error, seen is what was
-- looked at, and hint says what to do where that is anything.  A check that does not apply, for
-- instance of workers where none can run, has no row.
--
-- Each check is a function _check_<name>().  It waits for a lock for half a second at most: one that cannot
-- look, because somebody has locked a table, says so, and the others are still made.
declare
    _check  text;
begin
    foreach _check in array array[
        'preload', 'server', 'worker_slots', 'ticker', 'maintenance', 'executor',
        'sessions', 'jobs', 'remote_jobs', 'errors', 'ticks', 'overdue', 'roles', 'unread',
        'consumers', 'rotation', 'snapshots', 'clock', 'settings', 'schedules']
    loop
        begin
            return query execute format('select * from pgtq.%I()', '_check_' || _check);
        exception
            when others then
                name := replace(_check, '_', ' ');
                status := 'error';
                seen := format('this check failed: %s (%s)', sqlerrm, sqlstate);
                hint := case when sqlstate = '55P03' then 'Somebody has locked a table of pgtq: see pg_locks.' end;
                return next;
        end;
    end loop;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off set lock_timeout = '500ms';

comment on function pgtq.health() is 'What a DBA should know: one row per check, with status ok, warn or error';
