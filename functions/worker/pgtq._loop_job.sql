create or replace function pgtq._loop_job(
    in i_role text, in i_cron_version integer, out name text, out schedule text, out command text)
as $$
-- The scheduler's job of a role: a loop that lasts just until the next one begins.  That of a role
-- that may tick ticks, maintains and runs: of the owner of pgtq, and of a pgtq_admin; that of any other role runs.  pg_cron knows minutes only, before 1.5.
declare
    _seconds    constant boolean := coalesce(i_cron_version >= 105, false);
begin
    name := format('pgtq %s %s', current_database(), i_role);
    schedule := case when _seconds then '10 seconds' else '* * * * *' end;
    command := format('call pgtq.ticker_loop(run_for => %L, tasks => %L)', case when _seconds then '9.9 seconds' else '59.9 seconds' end,
                      case when has_function_privilege(i_role, 'pgtq._loop_tick(integer[])', 'execute') then '{tick,maintain,run}' else '{run}' end);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._loop_job(text, integer) is 'Internal: the scheduler''s job of a role';
