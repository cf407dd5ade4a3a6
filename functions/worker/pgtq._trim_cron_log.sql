create or replace function pgtq._trim_cron_log()
returns void
as $$
-- Deletes what pg_cron has noted of the caller's loops more than a day ago: nobody else does.
begin
    if pgtq._cron_version() is not null then
        execute 'delete from cron.job_run_details where username = current_user'
                ' and command like ''call pgtq.ticker\_loop(%'' and end_time < now() - interval ''1 day''';
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._trim_cron_log() is 'Internal: delete what pg_cron has noted of old loops';
