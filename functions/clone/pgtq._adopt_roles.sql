create or replace function pgtq._adopt_roles(i_home text)
returns void
as $$
-- Gives timers, jobs and history the oids that their roles have in this server.  Nothing to do in the
-- server that the copy was made in, or for null, which is none.
declare
    _table  regclass;
begin
    if (split_part(i_home, ':', 1) <> split_part(pgtq._home(), ':', 1)) is not true then
        return;
    end if;
    for _table in
        select format('pgtq.delay_%s', gen_n) from pgtq.generation
        union all
        select pgtq.quote_fqname(queue_data_pfx || '_' || n) from pgtq.queue, generate_series(0, queue_ntables - 1) n
        union all
        select 'pgtq.carried'
    loop
        execute format('update %s t set ev_role = (select r.oid from pg_roles r join pgtq.role on ro_name = rolname where ro_oid = t.ev_role limit 1)'
                       ' where ev_role is not null', _table);
    end loop;
    for _n in 0 .. 2 loop
        execute format('update pgtq.history_%s t set hi_role = (select r.oid from pg_roles r join pgtq.role on ro_name = rolname where ro_oid = t.hi_role limit 1)'
                       ' where hi_role is not null', _n);
    end loop;
    update pgtq.job j set jo_role = coalesce((select r.oid from pg_roles r join pgtq.role on ro_name = rolname where ro_oid = j.jo_role limit 1), 0)
     where jo_home <> pgtq._home();
    update pgtq.schedule s set sc_role = (select r.oid from pg_roles r join pgtq.role on ro_name = rolname where ro_oid = s.sc_role limit 1);
    with old as (delete from pgtq.role returning ro_name)
    insert into pgtq.role select oid, rolname from pg_roles where rolname in (select ro_name from old);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._adopt_roles(text) is 'Internal: find the roles of a copied database by name';
