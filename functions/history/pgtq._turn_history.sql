create or replace function pgtq._turn_history()
returns void
as $$
-- Turns the ring of the history, if its current table has been that for
-- pgtq.history_retention: moves on to an empty table, and truncates the one that was left when
-- the current one became it, as all in there is older.
--
-- Writes: the history.
declare
    _cur        integer := pg_sequence_last_value('pgtq.history_cur_seq');
    _free       integer;
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
    select min(n) into _free from generate_series(0, 2) n
     where n <> _cur and pgtq._table_state(format('pgtq.history_%s', n)::regclass) = 'free';
    for _n in 0 .. 2 loop
        continue when _n = _cur or _n = _free;
        begin
            execute format('lock table pgtq.history_%s in access exclusive mode', _n);
            execute format('truncate pgtq.history_%s', _n);
        exception
            when lock_not_available then
                null;               -- next time
        end;
    end loop;
    if _free is not null then
        perform setval('pgtq.history_cur_seq', _free);
        execute format('insert into pgtq.history_%s (hi_timer, hi_status, hi_finished) values (0, 0, clock_timestamp())', _free);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq._turn_history() is 'Internal: turn the ring of the history';
