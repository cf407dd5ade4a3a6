create or replace function pgtq.stop()
returns setof text
as $$
-- Removes the pg_cron job of the calling role; a loop that runs just now ends by itself within a
-- minute.  Tells what was done, or what is to be run elsewhere.
declare
    _home   constant text := pgtq._cron_home();
    _where constant text := case when _home = '' then 'the database of pg_cron' else 'database ' || quote_ident(_home) end;
    _job    record;
    _id     bigint;
begin
    select * into _job from pgtq._loop_job(current_user, null);
    if pgtq._cron_version() is not null then
        execute 'select jobid from cron.job where jobname = $1 and username = current_user' into _id using _job.name;
        if _id is null then
            return next format('-- there is no job "%s"', _job.name);
        else
            execute 'select cron.unschedule($1)' using _id;
            return next format('-- job "%s" was removed', _job.name);
        end if;
    elsif _home is not null then
        return next format('select cron.unschedule(%L);  -- as %I, in %s', _job.name, current_user, _where);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.stop() is 'Remove the pg_cron job of the calling role';
