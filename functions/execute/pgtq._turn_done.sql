create or replace function pgtq._turn_done()
returns void
as $$
-- Turns the ring of the done log, see structure/executor.sql: truncates the tables that nobody
-- needs, and moves on to an empty one.
--
-- A row is needed as long as the position of its executor is not past its tick, or a timer that
-- came with that tick is carried.  It locks first, then looks in a new statement: under ACCESS
-- EXCLUSIVE nobody writes to the table, and the executor carries a timer before its position
-- moves on.
--
-- Writes: the done log.
declare
    _cur    integer := pg_sequence_last_value('pgtq.done_cur_seq');
    _free   integer;
    _needed boolean;
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
    select min(n) into _free from generate_series(0, 2) n
     where n <> _cur and pgtq._table_state(format('pgtq.done_%s', n)::regclass) = 'free';
    for _n in 0 .. 2 loop
        continue when _n = _cur or pgtq._table_state(format('pgtq.done_%s', _n)::regclass) <> 'used';
        begin
            execute format('lock table pgtq.done_%s in access exclusive mode', _n);
            execute format('select exists (select from pgtq.subscription s join pgtq.done_%1$s d on d.dn_sub = s.sub_id and d.dn_tick > s.sub_last_tick)'
                           ' or exists (select from pgtq.carried c join pgtq.done_%1$s d on d.dn_sub = c.ca_sub and d.dn_tick = c.ca_tick)', _n)
                into _needed;
            if not _needed then
                execute format('truncate pgtq.done_%s', _n);
            end if;
        exception
            when lock_not_available then
                null;           -- next time
        end;
    end loop;
    if _free is not null then
        perform setval('pgtq.done_cur_seq', _free);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq._turn_done() is 'Internal: turn the ring of the done log';
