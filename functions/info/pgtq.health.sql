create or replace function pgtq.health(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- What a DBA should know, one row per check: status is ok, warn or error, seen is what was
-- looked at, and hint says what to do where that is anything.
declare
    _s          record;
    _e          record;
    _standby    constant boolean := pg_is_in_recovery();
    _enabled    constant boolean := coalesce(nullif(current_setting('pgtq.enabled', true), '')::boolean, true);
    _late       text;
begin
    select * into _s from pgtq._ticker_state();

    name := 'preload';
    if _s.preloaded then
        return query values (name, 'ok', 'the library is preloaded', null);
    else
        return query values (name, 'warn', 'no background worker: the library is not preloaded',
--@c
            'Add pgtq to shared_preload_libraries and restart the server; until then, call pgtq.ticker() and the maintenance from a loop.'
--@pl
            'The PL build has none: call pgtq.ticker() and the maintenance from a loop.'
--@end
        );
    end if;

    name := 'server';
    if _standby then
        return query values (name, 'ok', 'a standby: nothing runs here before it is promoted', null);
    elsif _s.preloaded and not _enabled then
        return query values (name, 'warn', 'pgtq.enabled is off', 'Set it to on and reload the configuration.');
    else
        return query values (name, 'ok', 'a primary', null);
    end if;

    if _s.preloaded and _enabled and not _standby then
        name := 'worker slots';
        if _s.slots_missing_since is not null then
            return query values (name, 'error',
                format('no free slot for a background worker since %s', _s.slots_missing_since),
                'Raise max_worker_processes and restart the server.');
        else
            return query values (name, 'ok', 'enough', null);
        end if;

        name := 'ticker';
        if _s.ticker_pid is not null then
            return query values (name, 'ok', format('process %s', _s.ticker_pid), null);
        else
            return query values (name, 'error',
                case when _s.launcher_pid is null then 'neither launcher nor ticker runs' else 'no ticker runs in this database' end,
                'It starts within a few seconds, unless worker slots are missing or pgtq.databases leaves this database out; see the server log.');
        end if;

        name := 'maintenance';
        if _s.maintenance_waits then
            return query values (name, 'warn', 'it waits for a free slot for a background worker', 'Raise max_worker_processes and restart the server.');
        else
            return query values (name, 'ok', format('%s runs', _s.maintenance_runs), null);
        end if;

        name := 'executor';
        select * into _e from pgtq._executor_state();
        if not exists (select from pgtq.queue where queue_executor is not null) then
            return query values (name, 'ok', 'there is no queue with actions', null);
        elsif _e.executor_pid is null then
            return query values (name, 'error', 'no executor runs in this database',
                'It starts within a few seconds, unless worker slots are missing; see the server log.');
        elsif _e.sessions_wait then
            return query values (name, 'warn', 'timers wait for a free slot for a background worker', 'Raise max_worker_processes and restart the server.');
        else
            return query values (name, 'ok', format('process %s, %s sessions', _e.executor_pid, _e.sessions), null);
        end if;

        name := 'errors';
        if _s.last_error_time > clock_timestamp() - interval '10 min' then
            return query values (name, 'warn', format('%s: %s', _s.last_error_time, _s.last_error), 'See the server log.');
        else
            return query values (name, 'ok', format('none in the last 10 minutes, %s in all', _s.errors), null);
        end if;
    end if;

    -- whoever ticks, here is what counts
    name := 'ticks';
    if not _standby then
        select string_agg(quote_ident(q.queue_name), ', ' order by q.queue_name) into _late
          from pgtq.queue q
          left join lateral pgtq._ticks(q.queue_id, null, true, 1) t on true
         where not q.queue_external_ticker and not q.queue_ticker_paused
           and coalesce(t.tick_time < clock_timestamp() - q.queue_ticker_idle_period * 2 - interval '10 s', true);
        if _late is not null then
            return query values (name, 'error', format('queues without a tick for two idle periods: %s', _late), 'Is there anybody who ticks?');
        else
            return query values (name, 'ok', 'all queues that have a ticker are ticked', null);
        end if;
    end if;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq.health() is 'What a DBA should know: one row per check, with status ok, warn or error';
