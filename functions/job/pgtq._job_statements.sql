create or replace function pgtq._job_statements(i_sql text)
returns setof text
as $$
-- The statements of a text, one after the other, as psql would find them: a semicolon that is not in a literal,
-- a quoted name, a comment or parentheses ends one.  For run_jobs(); a BEGIN ATOMIC body of a function is not
-- understood.
declare
    _rest   text := i_sql;
    _token  text;
    _tag    text;
    _text   text := '';
    _any    boolean := false;
    _depth  integer := 0;
begin
    while _rest <> '' loop
        -- the longest alternative is taken
        _token := substring(_rest from $re$^(?:[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|[[:alpha:]_0-9][[:alnum:]_$]*|\s+|.)$re$);
        if _token = '$' then
            _tag := substring(_rest from '^\$(?:[[:alpha:]_][[:alnum:]_]*)?\$');
            if _tag is not null then
                _token := left(_rest, length(_tag) + strpos(substr(_rest, length(_tag) + 1), _tag) + length(_tag) - 1);
            end if;
        elsif left(_rest, 2) = '/*' then
            _token := pgtq._comment_of(_rest);
        end if;
        _rest := substr(_rest, length(_token) + 1);
        _depth := _depth + case _token when '(' then 1 when ')' then -1 else 0 end;
        if _token = ';' and _depth <= 0 then
            if _any then
                return next _text;
            end if;
            _text := '';
            _any := false;
        else
            _text := _text || _token;
            _any := _any or not (_token ~ '^(\s|--|/\*)');
        end if;
    end loop;
    if _any then
        return next _text;
    end if;
end;
$$ language plpgsql immutable set search_path = pg_catalog, pg_temp;

comment on function pgtq._job_statements(text) is 'Internal: the statements of a text';
