create or replace function pgtq._check_rotation(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Rings that have grown, because somebody has a lock on the table that would be next, and who that is.
-- A prepared transaction has no process.
declare
    _rings  text;
    _who    text;
begin
    name := 'rotation';
    select string_agg(format('%I has %s tables', q.queue_name, q.queue_ntables), ', ' order by q.queue_name) into _rings
      from pgtq.queue q
     where q.queue_ntables > 3;
    select string_agg(b.who, '; ' order by b.since nulls first) into _who
      from (select distinct on (l.pid, l.virtualtransaction) a.xact_start as since,
                   case when l.pid is null then format('a prepared transaction has a lock on %s, see pg_prepared_xacts', l.relation::regclass)
                        else format('process %s (%s, since %s) has a lock on %s: %s', l.pid, a.usename, date_trunc('second', a.xact_start),
                                    l.relation::regclass, pgtq._query_shown(a.query))
                   end as who
              from pgtq.queue q
              join pg_inherits i on i.inhparent = to_regclass(q.queue_data_pfx)
              join pg_locks l on l.locktype = 'relation' and l.relation = i.inhrelid and l.granted
                             and l.database = (select oid from pg_database where datname = current_database())
              left join pg_stat_activity a on a.pid = l.pid
             where q.queue_ntables > 3
               and l.pid is distinct from pg_backend_pid()
               and coalesce(a.xact_start < clock_timestamp() - interval '1 s', true)
             order by l.pid, l.virtualtransaction) b;
    if _rings is null then
        status := 'ok';
        seen := 'no ring has grown';
    elsif _who is null then
        status := 'ok';
        seen := format('%s; nobody is in their way now', _rings);
    else
        status := 'warn';
        seen := format('%s; %s', _rings, _who);
        hint := 'Nothing is lost, but space is kept: end that transaction, with pg_terminate_backend(), or ROLLBACK PREPARED, if need be.';
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_rotation() is 'Internal: a check of health(): who keeps tables from being truncated';
