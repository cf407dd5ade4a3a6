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
    _columns int2vector;
    _n      integer;
    _list   text := '';
    _letter text := case i_op when 'TRUNCATE' then 'R' else left(i_op, 1) end;
begin
    select n.nspname, c.relname into _schema, _table
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = i_relid;
    table_name := _schema || '.' || _table;

    if i_pkey is not null then
        pkey := case i_pkey when '' then array[''] else string_to_array(i_pkey, ',') end;
    else
        pkey := '{}'::text[];
        select indkey, indnkeyatts into _columns, _n from pg_index where indrelid = i_relid and indisprimary;
        for _i in 0 .. coalesce(_n, 0) - 1 loop
            select pkey || attname::text into pkey from pg_attribute where attrelid = i_relid and attnum = _columns[_i];
        end loop;
    end if;

    if i_format = 'json' then
        for _i in 1 .. cardinality(pkey) loop
            _list := _list || ',' || to_json(pkey[_i])::text;
        end loop;
        ev_type := '{"op":"' || i_op || '","table":[' || to_json(_schema)::text || ',' || to_json(_table)::text
                   || '],"pkey":[' || substr(_list, 2) || ']}';
    elsif i_format = 'url' and i_op <> 'TRUNCATE' then
        ev_type := _letter || ':' || array_to_string(pkey, ',');
    else
        ev_type := _letter;
    end if;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_table(text, oid, text, text) is 'Internal: what an event says of its table';
--@end
