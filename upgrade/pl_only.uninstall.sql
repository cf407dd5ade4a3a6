-- pgtq_pl_only.uninstall.sql: removes what pgtq_pl_only.sql has made, with all queues and timers.
--
--     psql --single-transaction -f pgtq_pl_only.uninstall.sql yourdb
--
-- It refuses while something outside of schema pgtq depends on it, such as a trigger on a table, and
-- tells what.  The roles go too, unless something else in the server needs them.
\set ON_ERROR_STOP on
set search_path = pg_catalog, pg_temp;
do $$
declare
    _others text;
    _line   text;
    _detail text;
begin
    if exists (select from pg_extension where extname = 'pgtq') then
        raise exception 'pgtq is an extension in this database' using errcode = 'wrong_object_type', hint = 'Use DROP EXTENSION pgtq.';
    elsif to_regnamespace('pgtq') is not null and to_regclass('pgtq.event_template') is null then
        raise exception 'there is a schema "pgtq" that is not pgtq''s' using errcode = 'wrong_object_type';
    end if;

    if to_regnamespace('pgtq') is not null then
        with ours (classid, objid) as (
            select 'pg_proc'::regclass, oid from pg_proc where pronamespace = 'pgtq'::regnamespace
            union all
            select 'pg_class'::regclass, oid from pg_class where relnamespace = 'pgtq'::regnamespace
            union all
            select 'pg_type'::regclass, oid from pg_type where typnamespace = 'pgtq'::regnamespace)
        select string_agg(distinct pg_describe_object(d.classid, d.objid, 0), E'\n') into _others
          from pg_depend d join ours o on d.refclassid = o.classid and d.refobjid = o.objid,
               pg_identify_object_as_address(d.classid, d.objid, 0) a
         where d.deptype in ('n', 'a') and split_part(a.object_names[1], '.', 1) <> 'pgtq';
        if _others is not null then
            raise exception 'objects outside of schema pgtq depend on it'
                using errcode = 'dependent_objects_still_exist', detail = _others, hint = 'Drop them first.';
        end if;

        for _line in select * from pgtq.stop() loop
            raise notice '%', _line;
        end loop;
        set local client_min_messages = warning;
        drop schema pgtq cascade;
        set local client_min_messages = notice;
    end if;

    foreach _line in array array['pgtq_admin', 'pgtq_writer', 'pgtq_reader'] loop
        begin
            execute format('drop role if exists %I', _line);
        exception
            when dependent_objects_still_exist or insufficient_privilege then
                get stacked diagnostics _detail = pg_exception_detail;
                raise notice 'role % stays: %', _line, sqlerrm using detail = _detail;
        end;
    end loop;
end
$$;
