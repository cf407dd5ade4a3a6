--@pl
create or replace function pgtq._trigger_timer_key(in i_relid oid, in i_op text, out key text, out changed_sql text)
as $$
-- The key of a row's timer, if the trigger has no key=: schema.table:value,value with the values
-- of the primary key, urlencoded.
--
-- Returns an expression for _trigger_expression_sql(), and for UPDATE a query that tells whether
-- the primary key has changed, with the parameters $1, the row, and $2, the old row.
--
-- A row of a partitioned table has one key, in whichever partition it is: that of the topmost
-- table whose primary key the partition's is a part of.
declare
    _row     constant text := '(select (_v.r).* from (select $%s as r offset 0) as _v) as %s';
    _relation record;
    _top      oid := i_relid;
    _columns  int2vector;
    _n        integer;
    _column   record;
    _changed  text := 'false';
begin
    select indkey, indnkeyatts into _columns, _n from pg_index where indrelid = i_relid and indisprimary;
    if not found then
        raise exception 'timer trigger on table without pkey'
            using errcode = 'object_not_in_prerequisite_state',
                  detail = (select format('Table: %s.%s', n.nspname, c.relname)
                              from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = i_relid),
                  hint = 'Give the table a primary key, or say with key= what the key of a timer is.';
    end if;

    select relname, relispartition into _relation from pg_class where oid = i_relid;
    if _relation.relispartition then
        select a.relid into _top from pg_partition_ancestors(i_relid) with ordinality a (relid, n)
         where exists (select from pg_index where indrelid = a.relid and indisprimary)
         order by a.n desc limit 1;
    end if;
    select quote_literal(format('%I.%I:', n.nspname, c.relname)) into key
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = _top;
    for _i in 0 .. _n - 1 loop
        select attname, atttypid into _column from pg_attribute where attrelid = i_relid and attnum = _columns[_i];
        key := key || case _i when 0 then '' else ', '',''' end
               || format(', pgtq._urlencode(pg_catalog.concat(%I.%I))', _relation.relname, _column.attname);
        if i_op = 'UPDATE' then
            _changed := _changed || ' or ' || pgtq._trigger_changed(_column.atttypid, quote_ident(_column.attname));
        end if;
    end loop;
    key := 'pg_catalog.concat(' || key || ')';
    if i_op = 'UPDATE' then
        changed_sql := 'select ' || _changed || ' from ' || format(_row, 1, '_r') || ', ' || format(_row, 2, '_o');
    end if;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_timer_key(oid, text) is 'Internal: the key of a row''s timer that is made of its primary key';
--@end
