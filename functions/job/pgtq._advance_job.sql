create or replace function pgtq._advance_job(
    in i_id bigint, in i_state integer, in i_pid integer, out done boolean, out locked boolean)
as $$
-- Moves a job to state 1, taken, or 2, running.  If done is false, either somebody has it locked, or there is no such
-- job any more: it was cancelled, or has expired, which is settled here.
declare
    _job    pgtq.job;
begin
    done := false;
    locked := false;
    select * into _job from pgtq.job where jo_id = i_id and jo_state <= i_state for update skip locked;
    if not found then
        locked := exists (select from pgtq.job where jo_id = i_id and jo_state <= i_state);
    elsif _job.jo_expires < pgtq._now() then
        delete from pgtq.job where jo_id = i_id;
        perform pgtq._add_job_history(_job, 4, null, null, null, null);
        perform pgtq._end_run(_job.jo_schedule, _job.jo_run);
    else
        update pgtq.job
           set jo_state = i_state, jo_pid = i_pid, jo_started = case when i_state = 2 then pgtq._now() end
         where jo_id = i_id;
        done := true;
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq._advance_job(bigint, integer, integer) is 'Internal: take a job, or begin it';
