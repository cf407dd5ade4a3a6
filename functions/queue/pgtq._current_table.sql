create or replace function pgtq._current_table(i_prefix text)
returns text
as $$
-- The table of a ring that is written to now, locked for writing until the transaction
-- ends.
--
-- Writers lock, then check again: between reading the number and getting the lock the ring
-- may have turned.  Whoever then holds ACCESS EXCLUSIVE on a table that is not the current
-- one knows that nobody is writing there.
declare
    _schema text := pg_catalog.quote_ident(pg_catalog.split_part(i_prefix, '.', 1)) || '.';
    _name   text := pg_catalog.split_part(i_prefix, '.', 2);
    _seq    regclass := _schema || pg_catalog.quote_ident(_name || '_cur_seq');
    _n      bigint;
    _table  text;
begin
    loop
        _n := pg_catalog.pg_sequence_last_value(_seq);
        _table := _schema || pg_catalog.quote_ident(_name || '_' || _n::text);
        execute 'lock table ' || _table || ' in row exclusive mode';
        if pg_catalog.pg_sequence_last_value(_seq) = _n then
            return _table;
        end if;
    end loop;
end;
$$ language plpgsql;

comment on function pgtq._current_table(text) is 'Internal: lock and name the current table of a ring';
