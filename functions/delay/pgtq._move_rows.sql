--@pl
create or replace function pgtq._move_rows(i_queue_id integer, i_tables oid[], i_tids tid[])
returns integer
as $$
-- Moves those of the given rows of the delay store that are for one queue into it, in one
-- statement; rows that others have locked stay.  What becomes of a run of a schedule is _plan_run()'s to say.
--
-- Returns how many, with those that were put off or are jobs now.
declare
    _q      record;
    _ctes   text;
    _rows   text;
    _count  integer;
    _made   integer;
begin
    select string_agg(format(
               'locked_%1$s as materialized (select ctid as tid from pgtq.%1$I where ctid = any (array('
               'select tid from unnest($2, $3) u (tab, tid) where tab = %2$s)) and dl_queue = $1 for update skip locked),'
               ' gone_%1$s as (delete from pgtq.%1$I where ctid = any (array(select tid from locked_%1$s)) returning *)', relname, oid), ', '),
           string_agg(format('select * from gone_%s', relname), ' union all ')
      into _ctes, _rows
      from pg_class where oid = any (i_tables);

    select queue_data_pfx, pgtq.quote_fqname(queue_event_seq) as seq into _q from pgtq.queue where queue_id = i_queue_id;
    if not found then
        return 0;           -- dropped, and somebody was scheduling: that keeps no other queue waiting
    end if;
    execute format(
        'with %1$s, made as (insert into %2$s'
        ' select coalesce(ev_id, nextval(%3$L)), coalesce(ev_time, dl_due), pg_current_xact_id(), ev_owner, ev_retry, ev_type, ev_data,'
        ' ev_extra1, ev_extra2, ev_extra3, ev_extra4, ev_timer, ev_role, ev_created, ev_attempts, ev_timeout, ev_backoff,'
        ' ev_expires, ev_shard, ev_key, ev_schedule, ev_run from ('
        '   select * from (%4$s) g where ev_run is null or ev_retry is not null'
        '   union all'
        '   select p.* from (%4$s) g, pgtq._plan_run(row(g.*)::pgtq.delay, false) p'
        '    where not (g.ev_run is null) and g.ev_retry is null and p.ev_timer is not null'
        '   order by dl_due, ev_timer) r returning null)'
        ' select (select count(*) from (%4$s) g), (select count(*) from made)',
        _ctes, pgtq._current_table(_q.queue_data_pfx), _q.seq, _rows)
        into _count, _made using i_queue_id, i_tables, i_tids;
    if _made > 0 then
        perform nextval(_q.seq::regclass);      -- tells the ticker of retries, which keep their ids
    end if;
    return _count;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._move_rows(integer, oid[], tid[]) is 'Internal: move rows of the delay store into their queue';
--@end
