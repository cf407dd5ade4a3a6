-- pgtq_pl_only.from_extension.sql: makes of the extension pgtq what pgtq_pl_only.sql would have made.
--
--     psql --single-transaction -v owner=app -f pgtq_pl_only.from_extension.sql yourdb
--
-- To be run by the extension's owner; what the extension had will belong to the role of -v owner=, as if
-- that had installed it.  Tables stay as they are, with all that is in them; functions get their PL/pgSQL bodies.
\set ON_ERROR_STOP on
\if :{?owner}
\else
\echo 'Say whom it will belong to: -v owner=ROLE'
do $$ begin raise exception 'no owner was given'; end $$;
\endif
set client_min_messages = warning;
set search_path = pg_catalog, pg_temp;
do $$
declare
    _member text;
begin
    if not exists (select from pg_catalog.pg_extension where extname = 'pgtq') then
        raise exception 'pgtq is no extension in this database' using errcode = 'undefined_object';
    end if;
    for _member in
        select case d.classid
                   when 'pg_namespace'::regclass then pg_catalog.format('schema %s', d.objid::regnamespace)
                   when 'pg_proc'::regclass then pg_catalog.format('routine %s', d.objid::regprocedure)
                   when 'pg_type'::regclass then pg_catalog.format('type %s', d.objid::regtype)
                   else pg_catalog.format('%s %s', case c.relkind when 'r' then 'table' when 'v' then 'view' else 'sequence' end, d.objid::regclass)
               end
          from pg_catalog.pg_depend d
          join pg_catalog.pg_extension e on e.oid = d.refobjid and e.extname = 'pgtq'
          left join pg_catalog.pg_class c on d.classid = 'pg_class'::regclass and c.oid = d.objid
          left join pg_catalog.pg_type t on d.classid = 'pg_type'::regclass and t.oid = d.objid
          left join pg_catalog.pg_class r on r.oid = t.typrelid
         where d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
           -- types of rows and of arrays, members from 17 on, go with what they are of
           and t.typcategory is distinct from 'A' and (r.relkind is null or r.relkind = 'c')
    loop
        execute 'alter extension pgtq drop ' || _member;
    end loop;
end
$$;
drop extension pgtq;
alter schema pgtq owner to :"owner";
