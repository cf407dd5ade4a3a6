create or replace function pgtq._adopt_jobs()
returns integer
as $$
-- Makes the jobs of a copied database its own: finds their roles by name, and settles what was running in the
-- original.  Jobs of a role that does not exist here fail.  Returns how many there were.
declare
    _job    pgtq.job;
    _role   oid;
    _count  integer := 0;
begin
    for _job in select * from pgtq.job where jo_home <> pgtq._home() order by jo_id for update loop
        if split_part(_job.jo_home, ':', 1) <> split_part(pgtq._home(), ':', 1) then
            select r.oid into _role from pg_roles r join pgtq.role on ro_name = r.rolname where ro_oid = _job.jo_role limit 1;
        else
            _role := _job.jo_role;
        end if;
        update pgtq.job set jo_home = pgtq._home(), jo_txid = pg_current_xact_id(), jo_role = coalesce(_role, 0)
         where jo_id = _job.jo_id;
        perform pgtq._lost_job(_job.jo_id);
        if _role is null then
            perform pgtq._fail_job(_job.jo_id, '28000', 'the role that submitted it does not exist here');
        end if;
        _count := _count + 1;
    end loop;
    if _count > 0 then
        perform pgtq._wake_jobs();
    end if;
    return _count;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._adopt_jobs() is 'Internal: make the jobs of a copied database its own';
