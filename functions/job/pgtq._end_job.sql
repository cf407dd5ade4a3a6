create or replace function pgtq._end_job(
    i_job pgtq.job, i_sqlstate text, i_error text, i_output text, i_output_cut boolean, i_may_retry boolean)
returns void
as $$
-- Notes what became of a job that was run: it is done, or has failed, or is planned anew if it may be tried
-- again; after a run of a schedule the next one is.  The session of a job does the same in C, see src/jobs/record.c.
declare
    _again  constant boolean := i_sqlstate is not null and i_may_retry and i_job.jo_attempt + 1 < i_job.jo_attempts;
begin
    perform pgtq._add_job_history(i_job, case when i_sqlstate is null then 1 when _again then 5 else 2 end,
                                  i_sqlstate, i_error, i_output, i_output_cut);
    if not _again then
        delete from pgtq.job where jo_id = i_job.jo_id;
        perform pgtq._end_run(i_job.jo_schedule, i_job.jo_run);
        return;
    end if;
    update pgtq.job
       set jo_state = 0, jo_txid = pg_current_xact_id(), jo_attempt = jo_attempt + 1, jo_pid = null, jo_started = null,
           jo_due = pgtq._now() + least(interval '1 hour',
                        jo_backoff * power(2, least(jo_attempt, 20)) * (0.75 + random() / 2))
     where jo_id = i_job.jo_id;
    perform pgtq._wake_jobs(i_job.jo_remote is not null);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._end_job(pgtq.job, text, text, text, boolean, boolean) is 'Internal: note what became of a job that was run';
