create or replace function pgtq._maintenance_due(out func_name text, out func_arg text)
returns setof record
as $$
-- What the maintenance worker has to call now: like maint_operations(), but only functions
-- that are ours.  The worker is a superuser; queue_extra_maint names functions that an
-- administrator of queues has chosen, and must not come near it.
begin
    return query
        select m.func_name, m.func_arg from pgtq.maint_operations() m
         where m.func_name in ('pgtq.maint_rotate_tables_step1', 'pgtq.maint_rotate_tables_step2');
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._maintenance_due() is 'Internal: what the maintenance worker has to call now';
