--@pl
create or replace function pgtq._trigger_value(i_format text, i_type oid, i_value text, i_name text)
returns text
as $$
-- SQL for a value as an event writes it.
--
-- Parameters: i_value is SQL for a value of this type; i_format is
--     json   a member of an object whose name is i_name
--     url    i_name=value, or i_name for null
--     sql    a literal, or i_name for null
--     key    i_name and a literal, or null
--     text   the text alone, or null
--
-- concat() calls the type's output function; a cast to text is another thing for char(n), inet,
-- boolean.  "is not distinct from null" is null itself, while "is null" is also a row of nulls.
declare
    _number constant oid[] := array['smallint'::regtype, 'integer'::regtype, 'bigint'::regtype];
    _null   text := 'case when ' || i_value || ' is not distinct from null then ';
    _label  text;
begin
    if i_format = 'json' then
        _label := to_json(i_name)::text || ':';
        return case
            when i_type = any (_number)
              or i_type in ('text'::regtype, 'boolean'::regtype, 'timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype)
            then 'pg_catalog.concat(' || quote_literal(_label) || ', coalesce(pg_catalog.to_json(' || i_value || ')::pg_catalog.text, ''null''))'
            else _null || quote_literal(_label || 'null') || ' else pg_catalog.concat(' || quote_literal(_label)
                 || ', pg_catalog.to_json(pg_catalog.concat(' || i_value || '))) end' end;
    elsif i_format = 'url' then
        _label := pgtq._urlencode(i_name);
        return _null || quote_literal(_label) || ' else pg_catalog.concat(' || quote_literal(_label || '=') || ', '
               || case when i_type = any (_number) or i_type in ('boolean'::regtype, 'numeric'::regtype, 'uuid'::regtype) then i_value
                       else 'pgtq._urlencode(pg_catalog.concat(' || i_value || '))' end || ') end';
    elsif i_format = 'sql' then
        return _null || quote_literal(i_name) || ' else pg_catalog.quote_literal(pg_catalog.concat(' || i_value || ')) end';
    elsif i_format = 'key' then
        return _null || 'null else pg_catalog.concat(' || quote_literal(i_name) || ', pg_catalog.quote_literal(pg_catalog.concat(' || i_value || '))) end';
    end if;
    return _null || 'null else pg_catalog.concat(' || i_value || ') end';
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_value(text, oid, text, text) is 'Internal: SQL for a value as an event writes it';
--@end
