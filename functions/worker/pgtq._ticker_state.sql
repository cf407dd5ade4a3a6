create or replace function pgtq._ticker_state(
    out preloaded boolean,
    out launcher_pid integer,
    out slots_missing_since timestamptz,
    out ticker_pid integer,
    out ticker_started timestamptz,
    out next_wake timestamptz,
    out next_due timestamptz,
    out wakeups bigint,
    out ticks bigint,
    out moves bigint,
    out events_moved bigint,
    out lateness bigint[],
    out clock_steps bigint,
    out maintenance_pid integer,
    out maintenance_runs bigint,
    out maintenance_waits boolean,
    out errors bigint,
    out last_error text,
    out last_error_time timestamptz)
-- What shared memory says of the workers of this database; see ticker_stats and health().
-- One row, always: where there are no workers it says so.
--@c
as 'MODULE_PATHNAME', 'pgtq_ticker_state' language c;
--@pl
as $$
begin
    preloaded := false;
    wakeups := 0;
    ticks := 0;
    moves := 0;
    events_moved := 0;
    lateness := '{}';
    clock_steps := 0;
    maintenance_runs := 0;
    maintenance_waits := false;
    errors := 0;
    -- nobody is there, and nothing has been seen of anybody
    launcher_pid := null;
    slots_missing_since := null;
    ticker_pid := null;
    ticker_started := null;
    next_wake := null;
    next_due := null;
    maintenance_pid := null;
    last_error := null;
    last_error_time := null;
end;
$$ language plpgsql;
--@end

comment on function pgtq._ticker_state() is 'Internal: the workers of this database, from shared memory';
