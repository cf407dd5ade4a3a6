create or replace function pgtq._keep_runs(i_n integer)
returns boolean
as $$
-- Copies the last three runs of each schedule, as far as they are in a table of the history that is about to
-- be truncated, into the current one: of a monthly schedule one wants to know, too, how it ended.
--
-- Returns false: then nothing in the table is needed, see _reclaim_ring().
begin
    execute format(
        'insert into %1$s select t.* from (select distinct hi_schedule as id from pgtq.history_%2$s where hi_schedule is not null) s'
        ' join pgtq.schedule on sc_id = s.id,'
        ' lateral (select count(*) as n from (select from pgtq.history_%3$s o where o.hi_schedule = s.id and o.hi_status in (1, 2, 4)'
        '                                     union all select from pgtq.history_%4$s o where o.hi_schedule = s.id and o.hi_status in (1, 2, 4)'
        '                                     limit 3) l) newer,'
        ' lateral (select * from pgtq.history_%2$s h where h.hi_schedule = s.id and h.hi_status in (1, 2, 4)'
        '           order by h.hi_finished desc limit 3 - newer.n) t',
        pgtq._current_table('pgtq.history'), i_n, (i_n + 1) % 3, (i_n + 2) % 3);
    return false;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._keep_runs(integer) is 'Internal: keep the last runs of each schedule';
