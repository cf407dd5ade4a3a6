create or replace function pgtq._lost_job(i_id bigint)
returns void
as $$
-- A job has lost its session.  If it had not begun it is planned as before.  If it had, nobody knows how far it
-- came: it has failed, or may be tried again, as its submitter chose.
declare
    _job    pgtq.job;
begin
    select * into _job from pgtq.job where jo_id = i_id and jo_state > 0 for update;
    if not found then
        return;                         -- its session has noted what became of it
    end if;
    if _job.jo_state = 1 then
        update pgtq.job set jo_state = 0, jo_txid = pg_current_xact_id(), jo_pid = null where jo_id = i_id;
        perform pgtq._wake_jobs(_job.jo_remote is not null);
    else
        perform pgtq._end_job(_job, '08006', case when _job.jo_remote is null then 'its session' else 'its connection' end
                              || ' was lost while it ran; how far it came is not known', null, null,
                              _job.jo_on_crash = 'retry');
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._lost_job(bigint) is 'Internal: settle a job that has lost its session';
