create or replace function pgtq.fire(timer_id bigint)
returns text
as $$
-- Runs a pending timer now, in the caller's transaction, for tests.  The caller must be the role
-- that scheduled it.
--
-- Returns 'fired', or 'failed' if the action failed, which is noted and undoes only what the
-- action did; null if the timer is not pending.
--
-- Runs as the caller with the caller's search_path, and must never be SECURITY DEFINER.
declare
    _action     text;
    _started    timestamptz := pg_catalog.clock_timestamp();
    _sqlstate   text;
    _error      text;
begin
    begin
        insert into pgtq.request (op, timer) values ('fire', timer_id) returning ev_data into _action;
        if _action is null then
            return null;
        end if;
        execute _action;
        set constraints all immediate;
        return 'fired';
    exception
        when others then
            if _action is null then
                raise;
            end if;
            get stacked diagnostics _sqlstate = returned_sqlstate, _error = message_text;
    end;
    insert into pgtq.request (op, timer, at, sqlstate, error) values ('fail', timer_id, _started, _sqlstate, _error);
    return 'failed';
end;
$$ language plpgsql;

comment on function pgtq.fire(bigint) is 'Run a pending timer now, for tests; fired, failed, or null if it is not pending';
