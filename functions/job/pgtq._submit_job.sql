create or replace function pgtq._submit_job(i_role oid, i_job pgtq.job, i_expires_in interval)
returns bigint
as $$
-- Submits a job for a role: checks everything, and stores it.
--
-- Parameters: of i_job what submit_job() knows counts, and nothing else.
-- Writes: pgtq.job, pgtq.role.
begin
    i_job.jo_role := i_role;
    perform pgtq._check_job(i_job, i_expires_in);
    i_job.jo_due := coalesce(i_job.jo_due, pgtq._now());
    i_job.jo_id := nextval('pgtq.timer_id_seq');
    i_job.jo_expires := i_job.jo_due + i_expires_in;
    i_job.jo_timeout := nullif(i_job.jo_timeout, 0);
    i_job.jo_schedule := null;
    i_job.jo_run := null;
    perform pgtq._store_job(i_job);
    perform pgtq._note_role(i_role);
    return i_job.jo_id;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._submit_job(oid, pgtq.job, interval) is 'Internal: check and store a job of a role';
