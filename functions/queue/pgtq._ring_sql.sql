create or replace function pgtq._ring_sql(i_prefix text, i_query text)
returns text
as $$
-- The query i_query over every table of a ring: its %s becomes prefix_0, prefix_1, ...,
-- joined by UNION ALL.  Which tables exist is asked of the catalog as it is now, not of
-- the transaction's snapshot, because rings grow and shrink.  Tables of no length are left
-- out, there being always one or two of them, and much of the cost being in planning.
declare
    _sql    text;
    _n      integer := 0;
    _table  regclass;
begin
    loop
        _table := to_regclass(pgtq.quote_fqname(i_prefix || '_' || _n));
        exit when _table is null;
        if pg_relation_size(_table) > 0 then
            _sql := coalesce(_sql || ' union all ', '') || format(i_query, _table);
        end if;
        _n := _n + 1;
    end loop;
    return coalesce(_sql, format(i_query, to_regclass(pgtq.quote_fqname(i_prefix || '_0'))));
end;
$$ language plpgsql;

comment on function pgtq._ring_sql(text, text) is 'Internal: a query over all tables of a ring';
