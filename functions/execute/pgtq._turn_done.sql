create or replace function pgtq._turn_done()
returns void
as $$
-- Turns the ring of the done log, see structure/executor.sql: truncates the tables that nobody
-- needs, and moves on to an empty one.
--
-- A row is needed as long as the position of its executor is not past its tick, or a timer that
-- came with that tick is carried.  The executor carries a timer before its position moves on.
--
-- Writes: the done log.
declare
    _free   integer;
begin
    perform pgtq._require_read_committed('pgtq.maint_rotate_tables_step2');
    begin
        lock table pgtq.key_lock in share update exclusive mode;        -- one at a time
    exception
        when lock_not_available then
            return;
    end;
    if not pgtq._done_due() then
        return;
    end if;
    _free := pgtq._reclaim_ring('done',
        'select exists (select from pgtq.subscription s join pgtq.done_%1$s d on d.dn_sub = s.sub_id and d.dn_tick > s.sub_last_tick)'
        ' or exists (select from pgtq.carried c join pgtq.done_%1$s d on d.dn_sub = c.ca_sub and d.dn_tick = c.ca_tick)');
    if _free is not null then
        perform setval('pgtq.done_cur_seq', _free);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._turn_done() is 'Internal: turn the ring of the done log';
