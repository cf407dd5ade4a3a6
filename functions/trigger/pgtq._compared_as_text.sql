--@pl
create or replace function pgtq._compared_as_text(i_type oid, i_nested boolean)
returns boolean
as $$
-- Are two values of a type the same if they look the same, rather than if its = says so?
--
-- Parameters: i_nested is true for the elements of arrays and the fields of rows.
-- That goes for arrays (as in PgQ: {1.0} and {1.00} are not the same), and for types that have
-- no equality: no default class of operators for btree or hash, of their own or of a type with
-- the same bytes; and for rows with such a field.
declare
    _type record;
begin
    loop
        select typtype, typbasetype, typelem, typrelid, typsubscript into _type from pg_type where oid = i_type;
        exit when _type.typtype <> 'd';
        i_type := _type.typbasetype;
    end loop;
    if _type.typsubscript = 'array_subscript_handler'::regproc then
        return not i_nested or pgtq._compared_as_text(_type.typelem, true);
    elsif _type.typtype = 'c' then
        return exists (
            select from pg_attribute
             where attrelid = _type.typrelid and attnum > 0 and not attisdropped
               and pgtq._compared_as_text(atttypid, true));
    elsif _type.typtype in ('e', 'r', 'm') then
        return false;
    end if;
    return not exists (
        select from pg_opclass o join pg_am m on m.oid = o.opcmethod and m.amname in ('btree', 'hash')
         where o.opcdefault
           and (o.opcintype = i_type or exists (
               select from pg_cast
                where castsource = i_type and casttarget = o.opcintype and castmethod = 'b' and castcontext = 'i')));
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._compared_as_text(oid, boolean) is 'Internal: are values of a type compared by their text?';
--@end
