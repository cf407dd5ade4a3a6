create or replace procedure pgtq.run_due(
    in max_actions integer default 1000, inout ran integer default 0, in as_role text default null)
as $$
-- Runs what is due of the calling role's timers, in its own session: for servers where no background
-- worker does.  Call it from a scheduler, for each role that has timers, together with ticker().
--
-- Parameters: max_actions is after how many to stop; ran returns how many were run; as_role is
-- another role whose timers to run, which the session's role must be a member of.  That role has to be
-- trusted: an action that says RESET ROLE goes on as the role of the session.
--
-- Each action runs in a subtransaction; what it did and the mark that it is done are committed
-- together, up to 50 at a time; one at a time where there are deferrable constraints, which the end
-- of an action makes immediate until the transaction ends.  An action can do what its role can, and leave in the session what
-- the role can leave in it: between roles there is nothing to leave.
--
-- A running statement cannot be given another statement_timeout.  So timeout_ms limits each wait for a
-- lock, by lock_timeout, and an action that took longer in all is undone when it ends, and has failed with
-- the same SQLSTATE as if it had been stopped.  To stop it while it runs, set statement_timeout
-- for the role: it then ends the whole call, and what was not committed is run again by the next.
--
-- Runs as the caller and must never be SECURITY DEFINER.
#variable_conflict use_variable
declare
    _due        record;
    _at         timestamptz[];
    _sqlstate   text[];
    _error      text[];
    _code       text;
    _message    text;
    _limit      interval;
    _lock_limit text := pg_catalog.current_setting('lock_timeout');
    _group      integer := 50;
begin
    if as_role is not null and not pg_catalog.pg_has_role(session_user, as_role, 'member') then
        raise exception 'permission denied to run the timers of role "%"', as_role
            using errcode = 'insufficient_privilege', detail = pg_catalog.format('%s is not a member of it.', session_user);
    elsif current_user operator(pg_catalog.<>) session_user then
        raise exception 'run_due() runs the timers of the session''s own role'
            using errcode = 'insufficient_privilege', detail = pg_catalog.format('The session is of %s.', session_user), hint = 'RESET ROLE first.';
    end if;
    if exists (select from pg_catalog.pg_trigger where tgdeferrable) then
        _group := 1;
    end if;
    ran := 0;
    as_role := coalesce(as_role, 'none');
    while ran operator(pg_catalog.<) max_actions loop
        perform pg_catalog.set_config('role', as_role, false);
        insert into pgtq.request (op, count) values ('take_due', least(_group, max_actions operator(pg_catalog.-) ran))
            returning sub, many_event, many_timer, many_data, many_timeout into _due;
        exit when _due.many_event is null;
        _at := null;
        _sqlstate := null;
        _error := null;
        for _n in 1 .. pg_catalog.cardinality(_due.many_event) loop
            _at[_n] := pg_catalog.clock_timestamp();
            _code := null;
            _message := null;
            _limit := pgtq._action_timeout(_due.many_timeout[_n]);
            perform pgtq._set_current_timer(_due.many_timer[_n]);
            perform pg_catalog.set_config('lock_timeout', case when _limit is null then _lock_limit
                        else greatest(pg_catalog.ceil(extract(epoch from _limit) operator(pg_catalog.*) 1000), 1)::pg_catalog.int8::text end, false);
            begin
                execute _due.many_data[_n];
                set constraints all immediate;
                if pg_catalog.clock_timestamp() operator(pg_catalog.-) _at[_n] operator(pg_catalog.>) _limit then
                    raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled';
                end if;
            exception
                when lock_not_available or query_canceled then
                    get stacked diagnostics _code = returned_sqlstate, _message = message_text;
                    if pg_catalog.clock_timestamp() operator(pg_catalog.-) _at[_n] operator(pg_catalog.>=) _limit then
                        _code := '57014';               -- it was the timer's own timeout
                    elsif _code operator(pg_catalog.=) '57014' then
                        raise;                          -- somebody wants the call to end
                    end if;
                when others then
                    get stacked diagnostics _code = returned_sqlstate, _message = message_text;
            end;
            perform pg_catalog.set_config('role', as_role, false);
            _sqlstate[_n] := _code;
            _error[_n] := _message;
        end loop;
        perform pgtq._set_current_timer(null);
        perform pg_catalog.set_config('lock_timeout', _lock_limit, false);
        insert into pgtq.request (op, sub, many_event, many_at, many_sqlstate, many_error)
            values ('end_due', _due.sub, _due.many_event, _at, _sqlstate, _error);
        ran := ran operator(pg_catalog.+) pg_catalog.cardinality(_due.many_event);
        commit;
    end loop;
    perform pg_catalog.set_config('role', 'none', false);
    commit;
end;
$$ language plpgsql;

comment on procedure pgtq.run_due(integer, integer, text) is 'Run what is due of the calling role''s timers, where no background worker does';
