create or replace procedure pgtq.run_due(in max_actions integer default 1000, inout ran integer default 0)
as $$
-- Runs what is due of the calling role's timers, in its own session: for servers where no background
-- worker does.  Call it from a scheduler, for each role that has timers, together with ticker().
--
-- Parameters: max_actions is after how many to stop; ran returns how many were run.
--
-- Each action runs in a subtransaction; what it did and the mark that it is done are committed
-- together, up to 50 at a time; one at a time where there are deferrable constraints, which the end
-- of an action makes immediate until the transaction ends.  An action can do what its role can, and leave in the session what
-- the role can leave in it: between roles there is nothing to leave.  timeout_ms has no effect
-- here; set statement_timeout for the call.
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
    _group      integer := 50;
begin
    if current_user operator(pg_catalog.<>) session_user then
        raise exception 'run_due() runs the timers of the session''s own role'
            using errcode = 'insufficient_privilege', detail = pg_catalog.format('The session is of %s.', session_user), hint = 'RESET ROLE first.';
    end if;
    if exists (select from pg_catalog.pg_trigger where tgdeferrable) then
        _group := 1;
    end if;
    ran := 0;
    while ran operator(pg_catalog.<) max_actions loop
        insert into pgtq.request (op, count) values ('take_due', least(_group, max_actions operator(pg_catalog.-) ran))
            returning sub, many_event, many_tick, many_timer, many_data into _due;
        exit when _due.many_event is null;
        _at := null;
        _sqlstate := null;
        _error := null;
        for _n in 1 .. pg_catalog.cardinality(_due.many_event) loop
            _at[_n] := pg_catalog.clock_timestamp();
            _code := null;
            _message := null;
            perform pgtq._set_current_timer(_due.many_timer[_n]);
            begin
                execute _due.many_data[_n];
                set constraints all immediate;
            exception
                when others then
                    get stacked diagnostics _code = returned_sqlstate, _message = message_text;
            end;
            perform pgtq._set_current_timer(null);
            reset role;
            _sqlstate[_n] := _code;
            _error[_n] := _message;
        end loop;
        insert into pgtq.request (op, sub, many_event, many_tick, many_at, many_sqlstate, many_error)
            values ('end_due', _due.sub, _due.many_event, _due.many_tick, _at, _sqlstate, _error);
        ran := ran operator(pg_catalog.+) pg_catalog.cardinality(_due.many_event);
        commit;
    end loop;
    commit;
end;
$$ language plpgsql;

comment on procedure pgtq.run_due(integer, integer) is 'Run what is due of the calling role''s timers, where no background worker does';
