create or replace function pgtq._cancel_job(i_role oid, i_id bigint)
returns boolean
as $$
-- Cancels a job for a role, if it has not begun.
--
-- The row decides: whoever begins a job updates it first, and waits for us or we for him.
declare
    _job    pgtq.job;
begin
    select * into _job from pgtq.job where jo_id = i_id and jo_state < 2 for update;
    if not found then
        return false;
    end if;
    if i_role is distinct from _job.jo_role and not pg_has_role(i_role, 'pgtq_admin', 'usage') then
        raise exception 'permission denied for job %', i_id using errcode = 'insufficient_privilege';
    end if;
    delete from pgtq.job where jo_id = i_id;
    perform pgtq._end_run(_job.jo_schedule, _job.jo_run);
    perform pgtq._add_job_history(_job, 3, null, null, null, null);
    perform pgtq._wake_jobs(_job.jo_remote is not null);
    return true;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._cancel_job(oid, bigint) is 'Internal: cancel a job that has not begun';
