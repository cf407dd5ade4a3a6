create or replace function pgtq._reclaim_ring(i_ring text, i_needed text)
returns integer
as $$
-- Truncates those of the three tables of a log that were left and that nobody needs: <ring>_0 to
-- <ring>_2, without the current one.
--
-- Parameters: i_needed is a query for one boolean, whether the rows of a table are needed; in
-- it %1$s is the table's number.  It is asked under ACCESS EXCLUSIVE, in a statement of its
-- own: nobody writes to the table then, and what was committed before is seen.
-- Returns the number of an empty table to move on to, or null.  One that was truncated here
-- is for the next time, see _table_state().
declare
    _cur    constant integer := pg_sequence_last_value(format('pgtq.%I', i_ring || '_cur_seq')::regclass);
    _free   integer;
    _table  regclass;
    _state  text;
    _needed boolean;
begin
    for _n in 0 .. 2 loop
        continue when _n = _cur;
        _table := format('pgtq.%I', i_ring || '_' || _n);
        _state := pgtq._table_state(_table);
        if _state = 'free' then
            _free := coalesce(_free, _n);
        elsif _state = 'used' then
            begin
                execute format('lock table %s in access exclusive mode', _table);
                execute format(i_needed, _n) into _needed;
                if not _needed then
                    execute format('truncate %s', _table);
                end if;
            exception
                when lock_not_available then
                    null;           -- next time
            end;
        end if;
    end loop;
    return _free;
end;
$$ language plpgsql;

comment on function pgtq._reclaim_ring(text, text) is 'Internal: truncate the tables of a log that nobody needs; the number of one to move on to';
