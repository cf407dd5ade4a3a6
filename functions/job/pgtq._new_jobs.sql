create or replace function pgtq._new_jobs(
    in i_seen text, in i_remote boolean,
    out id bigint, out role oid, out state integer, out due timestamptz, out job_group text, out group_limit integer,
    out group_pause interval, out priority integer, out life interval, out count integer, out last_end timestamptz)
returns setof record
as $$
-- The jobs that a snapshot does not see; null: all.  For the job worker, or that of remote jobs, which remembers the others.
--
-- last_end is when a run of its group ended last, if that matters.
declare
    _seen   constant pg_snapshot := i_seen::pg_snapshot;
begin
    return query
    select j.jo_id, j.jo_role, j.jo_state::integer, j.jo_due, j.jo_group, j.jo_limit, j.jo_pause, j.jo_priority, j.jo_life, j.jo_count,
           case when j.jo_pause > '0' then
               (select max(h.hi_finished) from pgtq.history h
                 where h.hi_role = j.jo_role and h.hi_group = j.jo_group and h.hi_finished > pgtq._now() - j.jo_pause
                   and h.hi_started is not null and (h.hi_remote is not null) = i_remote) end
      from (select n.* from pgtq.job n where _seen is null
            union all
            select n.* from pgtq.job n where n.jo_txid >= pg_snapshot_xmax(_seen)
            union all
            select n.* from pgtq.job n where n.jo_txid = any (array(select pg_snapshot_xip(_seen)))) j
     where j.jo_home = pgtq._home() and (j.jo_remote is not null) = i_remote;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._new_jobs(text, boolean) is 'Internal: the jobs that a snapshot does not see';
