--@pl
create or replace function pgtq._trigger_table(
    in i_format text,
    in i_relid oid,
    in i_op text,
    in i_pkey text,
    out table_name text,
    out pkey text[],
    out ev_type text)
as $$
-- What an event says of the table.
--
-- Parameters: i_format is json, url or sql; i_pkey the argument pkey= or null.
-- Returns schema.table, the columns of the primary key (those of pkey=, as they are written
-- there), and ev_type.
declare
    _schema text;
    _table  text;
    _letter text := case i_op when 'TRUNCATE' then 'R' else left(i_op, 1) end;
begin
    select n.nspname, c.relname into _schema, _table
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = i_relid;
    table_name := _schema || '.' || _table;

    if i_pkey is null then
        pkey := array(
            select a.attname::text
              from pg_index i
             cross join unnest(i.indkey::smallint[]) with ordinality k (attnum, n)
              join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
             where i.indrelid = i_relid and i.indisprimary and k.n <= i.indnkeyatts
             order by k.n);
    else
        pkey := case i_pkey when '' then array[''] else string_to_array(i_pkey, ',') end;
    end if;

    if i_format = 'json' then
        ev_type := format('{"op":"%s","table":[%s,%s],"pkey":[%s]}', i_op, to_json(_schema), to_json(_table),
                          (select string_agg(to_json(p)::text, ',' order by n) from unnest(pkey) with ordinality u (p, n)));
    elsif i_format = 'url' and i_op <> 'TRUNCATE' then
        ev_type := _letter || ':' || array_to_string(pkey, ',');
    else
        ev_type := _letter;
    end if;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_table(text, oid, text, text) is 'What an event says of its table';
--@end
