create or replace function pgtq.grant_perms(x_queue_name text)
returns integer
as $$
-- Gives a queue's tables the privileges of the templates they inherit from, so that
-- grants.ini stays the one place where privileges are written.
declare
    _q      pgtq.queue;
    _acl    record;
    _table  text;
begin
    select * into _q from pgtq.queue where queue_name = x_queue_name;
    if not found then
        raise exception 'Queue not found' using errcode = 'undefined_object';
    end if;

    for _acl in
        select c.relname, a.privilege_type,
               case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee
          from pg_class c, aclexplode(c.relacl) a
         where c.oid in ('pgtq.event_template'::regclass, 'pgtq.tick'::regclass)
           and a.grantee <> c.relowner
    loop
        if _acl.relname = 'tick' then
            for _n in 0 .. _q.queue_ntables - 1 loop
                execute format('grant %s on pgtq.%I to %s', _acl.privilege_type,
                               format('tick_%s_%s', _q.queue_id, _n), _acl.grantee);
            end loop;
        else
            execute format('grant %s on %s to %s', _acl.privilege_type,
                           pgtq.quote_fqname(_q.queue_data_pfx), _acl.grantee);
            for _n in 0 .. _q.queue_ntables - 1 loop
                _table := pgtq.quote_fqname(_q.queue_data_pfx || '_' || _n);
                execute format('grant %s on %s to %s', _acl.privilege_type, _table, _acl.grantee);
            end loop;
        end if;
    end loop;
    execute format('grant select on sequence %s, %s, %s to pgtq_reader, pgtq_writer',
                   pgtq.quote_fqname(_q.queue_event_seq), pgtq.quote_fqname(_q.queue_tick_seq),
                   pgtq.quote_fqname(_q.queue_data_pfx || '_cur_seq'));
    execute format('grant usage on sequence %s to pgtq_admin', pgtq.quote_fqname(_q.queue_event_seq));
    return 1;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.grant_perms(text) is 'Copy the privileges of the templates to the tables of a queue';
