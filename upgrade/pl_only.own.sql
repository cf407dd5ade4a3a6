
-- upgrade/pl_only.own.sql: one build has become the other.  A function that was not made anew is one
-- that only the other build has.  All belongs to the owner of the schema.
do $$
declare
    _owner      pg_catalog.regrole := (select nspowner from pg_catalog.pg_namespace where nspname = 'pgtq');
    _command    text;
begin
    for _command in
        select pg_catalog.format('drop routine %s', p.oid::pg_catalog.regprocedure)
          from pg_catalog.pg_proc p
         where p.pronamespace = 'pgtq'::pg_catalog.regnamespace
           and p.xmin <> (select v.xmin from pg_catalog.pg_proc v where v.oid = 'pgtq.version()'::pg_catalog.regprocedure)
    loop
        execute _command;
    end loop;
    for _command in
        select pg_catalog.format('routine %s', p.oid::pg_catalog.regprocedure)
          from pg_catalog.pg_proc p
         where p.pronamespace = 'pgtq'::pg_catalog.regnamespace
        union all
        select pg_catalog.format('%s pgtq.%I', case c.relkind when 'r' then 'table' when 'v' then 'view' else 'sequence' end, c.relname)
          from pg_catalog.pg_class c
         where c.relnamespace = 'pgtq'::pg_catalog.regnamespace and c.relkind in ('r', 'v', 'S')
           -- that of a serial column goes with its table
           and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
                                                                and d.objid = c.oid and d.deptype = 'a')
        union all
        select pg_catalog.format('type pgtq.%I', t.typname)
          from pg_catalog.pg_type t
         where t.typnamespace = 'pgtq'::pg_catalog.regnamespace and (t.typtype in ('d', 'e') or exists (select from pg_catalog.pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
    loop
        execute pg_catalog.format('alter %s owner to %s', _command, _owner);
    end loop;
end
$$;
