create or replace procedure pgtq.ticker_loop(
    in run_for interval default '59 seconds', in step interval default '100 milliseconds',
    in tasks text[] default '{tick,maintain,run}')
as $$
-- Does for some time what background workers do elsewhere; to be called again and again, by a
-- scheduler or in a loop.  Any number of them may run at once.
--
-- Parameters: run_for is for how long; step is how often to look; tasks are
--   tick      move what is due, and tick the queues that need it (pgtq_admin)
--   maintain  rotate and truncate, once a minute (pgtq_admin)
--   run       run what is due of the timers of the caller's role, and a job; see run_due() and run_jobs()
--
-- Everything is a transaction of its own.  It looks twice in a step, and once more when it knows that
-- something is due; if another one ticks, four times.  PL/pgSQL cannot sleep without a snapshot; so it sleeps
-- in transactions of 50 milliseconds at most, and nothing older is held.
--
-- Runs as the caller and must never be SECURITY DEFINER; so every name is qualified.
declare
    _end        constant timestamptz := pg_catalog.clock_timestamp() operator(pg_catalog.+) run_for;
    _pause      constant interval := step operator(pg_catalog./) case when 'tick' operator(pg_catalog.=) any (tasks) then 2 else 4 end;
    _most       constant integer := 500;        -- so many actions, then it is time for others
    _unknown    text[];
    _maintained timestamptz;
    _moved      integer[];
    _due        timestamptz;
    _until      timestamptz;
    _calls      text[];
    _again      integer;
    _ran        integer;
    _jobs       integer;
begin
    if run_for is null or step is null or tasks is null then
        raise exception 'run_for, step and tasks must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    if step operator(pg_catalog.<=) '0' or step operator(pg_catalog.>) '1 minute' then
        raise exception 'step must be between 0 and 1 minute' using errcode = 'invalid_parameter_value', detail = pg_catalog.format('It is %s.', step);
    end if;
    select pg_catalog.array_agg(t) into _unknown from pg_catalog.unnest(tasks) t
     where (t operator(pg_catalog.=) any (array['tick', 'maintain', 'run'])) is not true;
    if _unknown is not null then
        raise exception 'unknown task "%"', _unknown[1]
            using errcode = 'invalid_parameter_value', hint = 'Tasks are tick, maintain and run.';
    end if;
    loop
        _moved := '{}';
        _due := null;
        if 'tick' operator(pg_catalog.=) any (tasks) then
            begin
                _moved := pgtq._loop_move();
            exception
                when lock_not_available then null;      -- the next time
            end;
            commit;
            _due := pgtq._loop_tick(_moved);
            commit;
        end if;

        _ran := 0;
        if 'run' operator(pg_catalog.=) any (tasks) then
            call pgtq.run_due(_most, _ran);
            call pgtq.run_jobs(1, _jobs);
        end if;

        if _maintained is null or pg_catalog.clock_timestamp() operator(pg_catalog.-) _maintained operator(pg_catalog.>) interval '1 minute' then
            _maintained := pg_catalog.clock_timestamp();
            perform pgtq._trim_cron_log();
            commit;
            _calls := null;
            if 'maintain' operator(pg_catalog.=) any (tasks) then
                -- only functions that are ours: extra_maint are those of an administrator of queues
                select pg_catalog.array_agg(pg_catalog.format('select %s(%L)', func_name, func_arg)) into _calls from pgtq.maint_operations()
                 where func_name operator(pg_catalog.=) 'pgtq.maint_rotate_tables_step1';
                _calls := _calls operator(pg_catalog.||) array['select pgtq.maint_rotate_tables_step2()'];
            end if;
            for _n in 1 .. coalesce(pg_catalog.cardinality(_calls), 0) loop
                loop
                    begin
                        execute _calls[_n] into _again;
                    exception
                        when others then
                            raise warning 'maintenance: %: %', _calls[_n], sqlerrm using errcode = sqlstate;
                            _again := 0;
                    end;
                    commit;
                    exit when _again operator(pg_catalog.=) 0 or pg_catalog.clock_timestamp() operator(pg_catalog.>=) _end;
                end loop;
            end loop;
        end if;

        exit when pg_catalog.clock_timestamp() operator(pg_catalog.>=) _end;
        _until := case when pg_catalog.cardinality(_moved) operator(pg_catalog.=) 0 and _ran operator(pg_catalog.<) _most
            then least(_end, pg_catalog.clock_timestamp() operator(pg_catalog.+)
                             greatest(interval '0', least(_pause, _due operator(pg_catalog.-) pgtq._now()))) end;
        loop
            exit when (pg_catalog.clock_timestamp() operator(pg_catalog.<) _until) is not true;
            perform pg_catalog.pg_sleep(least(0.05, extract(epoch from _until operator(pg_catalog.-) pg_catalog.clock_timestamp())::pg_catalog.float8));
            commit;
        end loop;
    end loop;
end;
$$ language plpgsql;

comment on procedure pgtq.ticker_loop(interval, interval, text[]) is 'Tick, maintain and run timers for some time, where no background worker does';
