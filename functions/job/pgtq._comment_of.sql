create or replace function pgtq._comment_of(i_sql text)
returns text
as $$
-- The comment that a text begins with; such comments nest.  One without an end is all of it.
declare
    _at     integer := 3;
    _depth  integer := 1;
    _found  text;
begin
    while _depth > 0 loop
        _found := substring(substr(i_sql, _at) from '^.*?(?:/\*|\*/)');
        if _found is null then
            return i_sql;
        end if;
        _at := _at + length(_found);
        _depth := _depth + case right(_found, 2) when '/*' then 1 else -1 end;
    end loop;
    return left(i_sql, _at - 1);
end;
$$ language plpgsql immutable set search_path = pg_catalog, pg_temp;

comment on function pgtq._comment_of(text) is 'Internal: the comment that a text begins with';
