create or replace function pgtq.cancel_job(job_id bigint)
returns boolean
as $$
-- Cancels a job of the calling role that has not begun; pgtq_admin may cancel all.
--
-- Returns true: it will not run, once the caller commits.  False: it ran, is running, or never was.  One that is
-- running is stopped by cancel_running().
declare
    _done boolean;
begin
    insert into pgtq.request (op, timer) values ('cancel_job', job_id) returning done into _done;
    return _done;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.cancel_job(bigint) is 'Cancel a job that has not begun; false: it ran, is running, or never was';
