create or replace function pgtq._add_job_history(
    i_job pgtq.job, i_status integer, i_sqlstate text, i_error text, i_output text, i_output_cut boolean)
returns void
as $$
-- Notes what became of a job, as far as pgtq.history wants it: see _add_history().
declare
    _wanted constant text := coalesce(nullif(current_setting('pgtq.history', true), ''), 'all');
begin
    if _wanted = 'off' or _wanted = 'failures' and i_status not in (2, 4, 5) and i_job.jo_schedule is null then
        return;
    end if;
    execute format('insert into %s (hi_timer, hi_status, hi_attempt, hi_role, hi_pid, hi_due, hi_created, hi_started, hi_finished,'
                   ' hi_sqlstate, hi_error, hi_timeout, hi_action, hi_group, hi_parent, hi_info, hi_schedule, hi_output, hi_output_cut, hi_remote)'
                   ' values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)',
                   pgtq._current_table('pgtq.history'))
        using i_job.jo_id, i_status, i_job.jo_attempt + case when i_status in (3, 4) then 0 else 1 end, i_job.jo_role,
              coalesce(i_job.jo_pid, pg_backend_pid()), i_job.jo_due, i_job.jo_created, i_job.jo_started, pgtq._now(),
              i_sqlstate, i_error, i_job.jo_timeout, i_job.jo_action, i_job.jo_group, i_job.jo_parent, i_job.jo_info, i_job.jo_schedule,
              i_output, i_output_cut, i_job.jo_remote;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._add_job_history(pgtq.job, integer, text, text, text, boolean) is 'Internal: note what became of a job';
