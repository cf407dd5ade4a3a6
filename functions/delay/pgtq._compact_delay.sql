create or replace function pgtq._compact_delay()
returns integer
as $$
-- One step of giving back the delay store's space.  Returns 1 if there is more to do at once,
-- in a new transaction; else 0.
--
-- Writes: pgtq.generation, the delay store.
--
-- A generation that is mostly dead is emptied: its live rows are copied into one of the
-- next level, some thousands in a step, and then it is truncated.  So
--
--   - copying is paid for by what it frees: at most as many rows are copied as have died;
--   - levels keep what lives long apart from what comes new.  To be copied again, a row on
--     level n has to wait until its table is half dead, and only what has survived n times
--     comes there.  So even a timer that is due in years is copied a logarithmic number of
--     times, whatever passes by meanwhile;
--   - a table of timers that all lie in the future is not touched.
--
-- TRUNCATE is not MVCC: pg_dump, or whoever has a snapshot from before, would find neither
-- a row nor its copy.  So a table is truncated when no such snapshot is left, or after
-- pgtq.truncate_patience.
declare
    _cur    integer := pg_sequence_last_value('pgtq.delay_cur_seq');
    _g      pgtq.generation;
begin
    perform pgtq._require_read_committed('pgtq.maint_rotate_tables_step2');
    begin
        lock table pgtq.generation in share update exclusive mode;      -- one at a time
    exception
        when lock_not_available then
            return 0;
    end;
    -- a turn or a truncation that was rolled back has left its mark in a sequence
    update pgtq.generation set gen_state = 'open' where gen_n = _cur and gen_state = 'free';
    update pgtq.generation set gen_truncated = pg_sequence_last_value('pgtq.delay_truncated_seq')
     where gen_n = 0 and (select max(gen_truncated) from pgtq.generation) < pg_sequence_last_value('pgtq.delay_truncated_seq');

    for _g in select * from pgtq.generation order by gen_n loop
        case
            when _g.gen_state = 'draining' then
                return pgtq._drain_generation(_g);
            when _g.gen_state = 'emptied' then
                perform pgtq._truncate_generation(_g);
            when pgtq._half_dead(_g) then
                if _g.gen_n <> _cur or pgtq._leave_generation() then
                    update pgtq.generation set gen_state = 'draining', gen_block = 0 where gen_n = _g.gen_n;
                end if;
                return 1;
            else
                null;
        end case;
    end loop;
    return 0;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._compact_delay() is 'Internal: a step of giving back the space of the delay store';
