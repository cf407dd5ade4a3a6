create or replace function pgtq.maint_rotate_tables_step2()
returns integer
as $$
-- Notes that rotations of step 1 are visible, turns the rings of the position log, of the
-- history and of the done log, carries timers that nobody runs, and does a step of giving back space of
-- the delay store.
--
-- In PgQ events are lost if this runs in the transaction of step 1, or if it does not run.
-- Here nothing depends on it but the size of these tables.
--
-- Returns 1 if it should be called again at once, in a new transaction; else 0.
-- Writes: pgtq.queue, the position log, the history, the done log, the delay store.
begin
    update pgtq.queue
       set queue_switch_step2 = pg_current_xact_id()::text::bigint
     where queue_id in (select queue_id from pgtq.queue where queue_switch_step2 is null for update skip locked);
    perform pgtq._turn_positions();
    perform pgtq._turn_history();
    perform pgtq._carry_due();
    perform pgtq._turn_done();
    return pgtq._compact_delay();
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off set lock_timeout = '100ms';

comment on function pgtq.maint_rotate_tables_step2() is 'Finish rotations, and give back space of positions, history and delay store';
