--@pl
create or replace function pgtq._trigger_names(i_relid oid, i_list text)
returns text[]
as $$
-- The names in a list that ignore= or pkey= gives; null for null.
--
-- They are separated by commas, with or without blanks around.  Blanks alone separate them as
-- well, as in PgQ, unless a column has such a name.
declare
    _item   text;
    _names  text[] := '{}'::text[];
begin
    if i_list is null then
        return null;
    end if;
    foreach _item in array string_to_array(i_list, ',') loop
        _item := btrim(_item, e' \t\n\r\f\v');
        if exists (select from pg_attribute where attrelid = i_relid and attname = _item and attnum > 0) then
            _names := _names || _item;
        else
            _names := _names || regexp_split_to_array(_item, e'[ \t\n\r\f\v]+');
        end if;
    end loop;
    return _names;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_names(oid, text) is 'Internal: the column names in a trigger''s argument';
--@end
