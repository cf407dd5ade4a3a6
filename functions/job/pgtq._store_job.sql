create or replace function pgtq._store_job(i_job pgtq.job)
returns void
as $$
-- Stores a job that is to begin when this is committed, or later; its id is given.
begin
    i_job.jo_txid := pg_current_xact_id();
    i_job.jo_home := pgtq._home();
    i_job.jo_state := 0;
    i_job.jo_created := pgtq._now();
    i_job.jo_attempt := 0;
    i_job.jo_pid := null;
    i_job.jo_started := null;
    insert into pgtq.job select (i_job).*;
    perform pgtq._wake_jobs(i_job.jo_remote is not null);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._store_job(pgtq.job) is 'Internal: store a job';
