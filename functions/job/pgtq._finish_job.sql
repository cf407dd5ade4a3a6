create or replace function pgtq._finish_job(i_role oid, i_id bigint, i_sqlstate text, i_error text, i_output text, i_output_cut boolean)
returns void
as $$
-- Notes what became of a job that this process has run for a role, for run_jobs().
declare
    _job    pgtq.job;
begin
    if pgtq._executor_runs() then
        raise exception 'the job worker runs in this database' using errcode = 'object_in_use';
    end if;
    select * into _job from pgtq.job
     where jo_id = i_id and jo_role = i_role and jo_state = 2 and jo_pid = pg_backend_pid() for update;
    if found then
        perform pgtq._end_job(_job, i_sqlstate, i_error, left(i_output, _job.jo_output_limit), i_output_cut, true);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._finish_job(oid, bigint, text, text, text, boolean) is 'Internal: note what became of a job, for run_jobs()';
