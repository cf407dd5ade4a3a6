create or replace function pgtq._close_generation(i_gen pgtq.generation)
returns integer
as $$
-- The end of a generation that all live rows were copied out of: waits for writers that were in
-- the table when it was left, and looks whether it is empty.  If it is not, because a row was
-- locked or came late, copying begins again.
--
-- Returns 1 if there is more to do at once, else 0.
declare
    _table  text := format('pgtq.delay_%s', i_gen.gen_n);
    _alive  boolean := true;
begin
    begin
        execute format('lock table %s in share mode', _table);
        execute format('select exists (select from %s)', _table) into _alive;
    exception
        when lock_not_available then
            null;
    end;
    if _alive then
        update pgtq.generation set gen_block = 0 where gen_n = i_gen.gen_n;
        return 0;
    end if;
    update pgtq.generation
       set gen_state = 'emptied', gen_block = null, gen_emptied = pg_current_xact_id(), gen_emptied_at = clock_timestamp()
     where gen_n = i_gen.gen_n;
    return 1;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._close_generation(pgtq.generation) is 'Internal: the end of a generation of the delay store';
