create or replace function pgtq._check_server(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Does anything run here at all: a standby, workers that are turned off, a copy that is paused?
begin
    name := 'server';
    status := 'ok';
    if pg_is_in_recovery() then
        seen := 'a standby: nothing runs here before it is promoted';
    elsif (select preloaded from pgtq._ticker_state()) and current_setting('pgtq.enabled', true) = 'off' then
        status := 'warn';
        seen := 'pgtq.enabled is off';
        hint := 'Set it to on and reload the configuration.';
    elsif current_setting('pgtq.on_clone', true) = 'pause' and exists (select from pgtq.queue where queue_home <> pgtq._home()) then
        status := 'warn';
        seen := 'a copy of another database, and pgtq.on_clone is pause: nothing is ticked here';
        hint := 'If timers are to fire here, call pgtq.adopt().';
    else
        seen := 'a primary';
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_server() is 'Internal: a check of health(): a standby, workers turned off, a paused copy';
