create or replace function pgtq.quote_fqname(i_name text)
returns text
as $$
-- Quotes a qualified name for SQL.  The first dot separates the schema; a name without one
-- is in schema public.
declare
    _dot integer := pg_catalog.strpos(i_name, '.');
begin
    if _dot = 0 then
        return 'public.' || pg_catalog.quote_ident(i_name);
    end if;
    return pg_catalog.quote_ident(pg_catalog.left(i_name, _dot - 1)) || '.' || pg_catalog.quote_ident(pg_catalog.substr(i_name, _dot + 1));
end;
$$ language plpgsql immutable strict;

comment on function pgtq.quote_fqname(text) is 'Quote a schema-qualified name for SQL';
