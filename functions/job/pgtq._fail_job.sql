create or replace function pgtq._fail_job(i_id bigint, i_sqlstate text, i_error text)
returns void
as $$
-- Fails a job that cannot have a session.
declare
    _job    pgtq.job;
begin
    select * into _job from pgtq.job where jo_id = i_id for update;
    if found then
        perform pgtq._end_job(_job, i_sqlstate, i_error, null, null, false);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._fail_job(bigint, text, text) is 'Internal: fail a job that cannot have a session';
