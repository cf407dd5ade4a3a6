create or replace procedure pgtq.run_jobs(in max_jobs integer default 100, inout ran integer default 0)
as $$
-- Runs the calling role's jobs that are due, one after the other, in its own session: for servers where no
-- background worker does.  Call it from a scheduler, for each role that has jobs, or let ticker_loop() do it.
--
-- Parameters: max_jobs is after how many to stop; ran returns how many were run.
--
-- Each statement of a job is a transaction, and the first error ends the job.  But a statement runs inside of this procedure:
-- VACUUM, CREATE DATABASE, REINDEX CONCURRENTLY, BEGIN and COMMIT, and a CALL of a procedure that commits
-- cannot run there, and fail with a word about it.  timeout_ms limits each wait for a lock, and a job that
-- took longer fails after the statement that did.  What a job sets stays in the session.
--
-- Runs as the caller and must never be SECURITY DEFINER; so every name is qualified.
#variable_conflict use_variable
declare
    _job        pgtq.job;
    _statement  text;
    _statements text[];
    _output     text;
    _cut        boolean;
    _code       text;
    _message    text;
    _limit      interval;
    _lock_limit text := pg_catalog.current_setting('lock_timeout');
begin
    if current_user operator(pg_catalog.<>) session_user then
        raise exception 'run_jobs() runs the jobs of the session''s own role'
            using errcode = 'insufficient_privilege', detail = pg_catalog.format('The session is of %s.', session_user), hint = 'RESET ROLE first.';
    elsif pgtq.current_timer() is not null then
        raise exception 'run_jobs() cannot be called in a job or timer' using errcode = 'object_not_in_prerequisite_state';
    end if;
    ran := 0;
    while ran operator(pg_catalog.<) max_jobs loop
        insert into pgtq.request (op) values ('take_job') returning (job).* into _job;
        commit;
        exit when _job.jo_id is null;
        _output := null;
        _cut := false;
        _code := null;
        _limit := pgtq._action_timeout(_job.jo_timeout, 'pgtq.job_timeout', '0');
        perform pg_catalog.set_config('lock_timeout', case when _limit is null then _lock_limit
                    else greatest(pg_catalog.ceil(extract(epoch from _limit) operator(pg_catalog.*) 1000), 1)::pg_catalog.int8::text end, false);
        _statements := array(select pgtq._job_statements(_job.jo_action));
        foreach _statement in array _statements loop
            perform pgtq._set_current_timer(_job.jo_id);
            begin
                select r.io_output, r.io_cut into _output, _cut from pgtq._run_statement(_statement, _job, _output, _cut) r;
                set constraints all immediate;
                if pg_catalog.clock_timestamp() operator(pg_catalog.-) _job.jo_started operator(pg_catalog.>) _limit then
                    raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled';
                end if;
            exception
                when lock_not_available or query_canceled then
                    get stacked diagnostics _code = returned_sqlstate, _message = message_text;
                    if pg_catalog.clock_timestamp() operator(pg_catalog.-) _job.jo_started operator(pg_catalog.>=) _limit then
                        _code := '57014';               -- it was the job's own timeout
                    elsif _code operator(pg_catalog.=) '57014' then
                        raise;                          -- somebody wants the call to end
                    end if;
                when active_sql_transaction or feature_not_supported or invalid_transaction_termination then
                    get stacked diagnostics _code = returned_sqlstate, _message = message_text;
                    _message := _message operator(pg_catalog.||) ' (here a job runs inside of a procedure, run_jobs(); what needs a transaction of its own needs the background workers of the C build)';
                when others then
                    get stacked diagnostics _code = returned_sqlstate, _message = message_text;
            end;
            perform pgtq._set_current_timer(null);
            perform pg_catalog.set_config('role', 'none', false);
            exit when _code is not null;
            commit;
        end loop;
        perform pg_catalog.set_config('lock_timeout', _lock_limit, false);
        if _job.jo_capture operator(pg_catalog.=) 'json' then
            _output := '[' operator(pg_catalog.||) _output operator(pg_catalog.||) ']';
        end if;
        insert into pgtq.request (op, timer, sqlstate, error, output, output_cut)
            values ('end_job', _job.jo_id, _code, case when _code is not null then _message end, _output, _cut);
        ran := ran operator(pg_catalog.+) 1;
        commit;
    end loop;
end;
$$ language plpgsql;

comment on procedure pgtq.run_jobs(integer, integer) is 'Run the calling role''s jobs that are due, where no background worker does';
