create or replace function pgtq._workers_run()
returns boolean
as $$
-- Should background workers run here: preloaded, enabled, and not a standby?
begin
    return (select s.preloaded from pgtq._ticker_state() s)
        and current_setting('pgtq.enabled', true) is distinct from 'off'
        and not pg_is_in_recovery();
end;
$$ language plpgsql;

comment on function pgtq._workers_run() is 'Internal: should background workers run here';
