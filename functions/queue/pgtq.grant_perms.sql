create or replace function pgtq.grant_perms(x_queue_name text)
returns integer
as $$
-- Gives a queue's tables the privileges of the templates they inherit from, so that
-- grants.ini stays the one place where privileges are written.
declare
    _q      pgtq.queue;
    _acl    record;
    _tables text[];
begin
    select * into _q from pgtq.queue where queue_name = x_queue_name;
    if not found then
        raise exception 'Queue not found' using errcode = 'undefined_object';
    end if;

    for _acl in
        select c.relname, a.privilege_type || coalesce(' (' || columns || ')', '') as privilege,
               case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee
          from pg_class c,
               lateral (select privilege_type, grantee, null::text as columns from aclexplode(c.relacl)
                        union all
                        select privilege_type, grantee, string_agg(quote_ident(attname), ', ' order by attnum)
                          from pg_attribute, aclexplode(attacl) where attrelid = c.oid and not attisdropped
                         group by 1, 2) a
         where c.oid in ('pgtq.event_template'::regclass, 'pgtq.tick'::regclass)
           and a.grantee <> c.relowner
    loop
        if _acl.relname = 'tick' then
            _tables := array(select format('pgtq.tick_%s_%s', _q.queue_id, n) from generate_series(0, _q.queue_ntables - 1) n);
        else
            _tables := array(select pgtq.quote_fqname(_q.queue_data_pfx || '_' || n) from generate_series(0, _q.queue_ntables - 1) n)
                       || pgtq.quote_fqname(_q.queue_data_pfx);
        end if;
        execute format('grant %s on %s to %s', _acl.privilege, array_to_string(_tables, ', '), _acl.grantee);
    end loop;
    execute format('grant select on sequence %s, %s, %s to pgtq_reader, pgtq_writer',
                   pgtq.quote_fqname(_q.queue_event_seq), pgtq.quote_fqname(_q.queue_tick_seq),
                   pgtq.quote_fqname(_q.queue_data_pfx || '_cur_seq'));
    execute format('grant usage on sequence %s to pgtq_admin', pgtq.quote_fqname(_q.queue_event_seq));
    return 1;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.grant_perms(text) is 'Copy the privileges of the templates to the tables of a queue';
