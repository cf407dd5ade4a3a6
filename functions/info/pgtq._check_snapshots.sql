create or replace function pgtq._check_snapshots(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- What holds an old snapshot: it does not slow pgtq, but keeps space, here and in all other tables.
declare
    _old    text;
begin
    name := 'old snapshots';
    select string_agg(o.who, '; ' order by o.since) into _old
      from (select a.xact_start as since, format('process %s (%s) since %s: %s', a.pid, a.usename, date_trunc('second', a.xact_start), pgtq._query_shown(a.query)) as who
              from pg_stat_activity a
             where a.datname = current_database() and (a.backend_xmin is not null or a.backend_xid is not null)
               and a.xact_start < clock_timestamp() - interval '1 hour'
            union all
            select p.prepared, format('prepared transaction %L since %s', p.gid, date_trunc('second', p.prepared))
              from pg_prepared_xacts p
             where p.database = current_database() and p.prepared < clock_timestamp() - interval '1 hour') o;
    if _old is null then
        status := 'ok';
        seen := 'none is older than an hour';
    else
        status := 'warn';
        seen := _old;
        hint := 'End it if nobody needs it: ROLLBACK PREPARED, or pg_terminate_backend().';
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_snapshots() is 'Internal: a check of health(): transactions that are open for long';
