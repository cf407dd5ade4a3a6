create or replace function pgtq._turn_history()
returns void
as $$
-- Turns the ring of the history, if its current table has been that for
-- pgtq.history_retention: moves on to an empty table, and truncates the one that was left when
-- the current one became it, as all in there is older.  The last runs of schedules are kept.
--
-- Writes: the history.
declare
    _free   integer;
begin
    perform pgtq._require_read_committed('pgtq.maint_rotate_tables_step2');
    begin
        lock table pgtq.generation in share update exclusive mode;      -- one at a time
    exception
        when lock_not_available then
            return;
    end;
    if not pgtq._history_due() then
        return;
    end if;
    _free := pgtq._reclaim_ring('history', 'select pgtq._keep_runs(%1$s)');
    if _free is not null then
        perform setval('pgtq.history_cur_seq', _free);
        execute format('insert into pgtq.history_%s (hi_timer, hi_status, hi_finished) values (0, 0, clock_timestamp())', _free);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._turn_history() is 'Internal: turn the ring of the history';
