-- pgtq--pl_only.sql: makes an extension of what pgtq_pl_only.sql has made.
--
--     begin;
--     create extension pgtq version 'pl_only';
--     alter extension pgtq update;
--     commit;
--
-- The first step takes the objects into the extension, those that an extension has from the start; the
-- tables of queues stay outside.  The second gives the functions their C bodies.  Tables stay as they
-- are, with all that is in them.
do $$
declare
    _member text;
begin
    if pg_catalog.to_regclass('pgtq.event_template') is null then
        raise exception 'there is nothing here that pgtq_pl_only.sql has made'
            using errcode = 'object_not_in_prerequisite_state', hint = 'Use CREATE EXTENSION pgtq.';
    end if;
    alter schema pgtq owner to current_user;
    for _member in
        select 'schema pgtq'
        union all
        select pg_catalog.format('%s pgtq.%I', case c.relkind when 'r' then 'table' when 'v' then 'view' else 'sequence' end, c.relname)
          from pg_catalog.pg_class c
         where c.relnamespace = 'pgtq'::pg_catalog.regnamespace and c.relkind in ('r', 'v', 'S')
           and c.relname !~ '^(event|tick)_[0-9]'       -- of a queue
           and c.relname !~ '^delay_([3-9]|[0-9]{2,})$' -- a generation that was added
        union all
        select pg_catalog.format('type pgtq.%I', t.typname)
          from pg_catalog.pg_type t
         where t.typnamespace = 'pgtq'::pg_catalog.regnamespace and (t.typtype in ('d', 'e') or exists (select from pg_catalog.pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
        union all
        select pg_catalog.format('routine %s', p.oid::pg_catalog.regprocedure)
          from pg_catalog.pg_proc p
         where p.pronamespace = 'pgtq'::pg_catalog.regnamespace
    loop
        execute 'alter extension pgtq add ' || _member;
    end loop;
end
$$;
