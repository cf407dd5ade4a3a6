--@pl
create or replace function pgtq._trigger_expression_sql(i_relid oid, i_op text, i_expressions text[], i_types text[])
returns text
as $$
-- The query that evaluates expressions of a trigger's arguments.
--
-- Parameters: i_expressions are SQL of the trigger's owner; i_types is null, or what they are
-- cast to, null for those that are wanted as text, whatever they are.
-- Returns SQL with the parameters $1, the row (the old one for DELETE), and $2, the old row of
-- an UPDATE, and without i_types two columns: the values as text, and the names of their types;
-- with it one for each expression.  It must run with the rights, and on the search_path, of whoever
-- changes the table.
--
-- Names that stand alone are looked up in the innermost FROM first, so they are the row's; new
-- and old are found one level up; what is not there is null.  A line feed ends a comment at
-- the end of an expression.  OFFSET 0 keeps an expression from being evaluated twice, and the
-- planner from putting the row in the place of each mention of it.
declare
    _row        constant text := 'select (_v.r).* from (select $1 as r offset 0) as _v';
    _old        constant text := 'select (_v.r).* from (select $2 as r offset 0) as _v';
    _nothing    constant text := 'select _n.* from (select) as _one left join (' || _row || ') as _n on false';
    _list       text;
    _values     text;
    _types      text;
begin
    select string_agg(format(e'(%s\n)%s as _%s', e, '::' || i_types[n], n), ', ' order by n),
           string_agg(case when i_types[n] is null then pgtq._trigger_value('text', null, format('_e._%s', n), null)
                           else format('_e._%s', n) end, ', ' order by n),
           string_agg(format('pg_catalog.pg_typeof(_e._%s)', n), ', ' order by n)
      into _list, _values, _types
      from unnest(i_expressions) with ordinality u (e, n);
    if i_types is null then
        _values := format('array[%s]::pg_catalog.text[], array[%s]::pg_catalog.text[]', _values, _types);
    end if;
    return format('select %s from (%s) as new, (%s) as old, lateral (select %s from (%s) as %I offset 0) as _e',
                  _values,
                  case i_op when 'DELETE' then _nothing else _row end,
                  case i_op when 'INSERT' then _nothing when 'UPDATE' then _old else _row end,
                  _list, _row, (select relname from pg_class where oid = i_relid));
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_expression_sql(oid, text, text[], text[]) is 'Internal: SQL that evaluates expressions of a trigger';
--@end
