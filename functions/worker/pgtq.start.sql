create or replace function pgtq.start()
returns setof text
as $$
-- Makes the pg_cron job of the calling role, and tells what else is to be done, one line each.  Call it
-- again after an upgrade of pg_cron: the job is replaced.
--
-- Each role runs its own timers, so each that schedules needs a job; the role that made pgtq, or another
-- pgtq_admin, is the one that ticks.  Where pg_cron is in another database, or there is none, nothing is made, and
-- the lines say what to run where.
declare
    _version    constant integer := pgtq._cron_version();
    _home       constant text := pgtq._cron_home();
    _where      constant text := case when _home = '' then 'the database of pg_cron' else 'database ' || quote_ident(_home) end;
    _job        record;
    _role       text;
begin
    if _version is null and _home = current_database() then
        return next 'create extension pg_cron;  -- as the server''s administrator, then call pgtq.start() again';
        return;
    end if;
    select * into _job from pgtq._loop_job(current_user, _version);
    if _version is not null then
        execute 'select cron.schedule($1, $2, $3)' using _job.name, _job.schedule, _job.command;
        return next format('-- job "%s" was made', _job.name);
    end if;
    for _role in
        select current_user where _version is null
        union all
        select r.rolname from pg_roles r
         where r.rolname <> current_user and r.oid in (select ro_oid from pgtq._loop_roles() ro_oid)
    loop
        select * into _job from pgtq._loop_job(_role, _version);
        return next case
            when _version is not null then
                format('-- as %I, in database %I, if it has no job yet: select pgtq.start();', _role, current_database())
            when _home is not null then
                format('select cron.schedule_in_database(%L, %L, %L, %L);  -- as %I, in %s',
                       _job.name, _job.schedule, _job.command, current_database(), _role, _where)
            else
                format('%s;  -- as %I, every minute', _job.command, _role)
            end;
    end loop;
    if _version is null and _home is not null then
        return next format('select cron.schedule(%L, ''0 3 * * *'', %L);  -- in %s: what pg_cron notes of every run',
            format('pgtq %s log', current_database()),
            'delete from cron.job_run_details where command like ''call pgtq.ticker\_loop(%'' and end_time < now() - interval ''1 day''', _where);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.start() is 'Make the pg_cron job of the calling role; tells what else is to be done';
