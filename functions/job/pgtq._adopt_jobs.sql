create or replace function pgtq._adopt_jobs()
returns void
as $$
-- For adopt(), which has found their roles: settles what was running in the original of a copied database.  Jobs of
-- a role that does not exist here fail.
declare
    _job    pgtq.job;
begin
    for _job in select * from pgtq.job where jo_home <> pgtq._home() order by jo_id for update loop
        update pgtq.job set jo_home = pgtq._home(), jo_txid = pg_current_xact_id() where jo_id = _job.jo_id;
        perform pgtq._lost_job(_job.jo_id);
        if _job.jo_role = 0 then
            perform pgtq._fail_job(_job.jo_id, '28000', 'the role that submitted it does not exist here');
        end if;
        perform pgtq._wake_jobs(_job.jo_remote is not null);
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._adopt_jobs() is 'Internal: make the jobs of a copied database its own';
