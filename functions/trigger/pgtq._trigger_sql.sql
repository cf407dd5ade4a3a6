--@pl
create or replace function pgtq._trigger_sql(
    i_format text, i_relid oid, i_op text, i_when text, i_pkey text[], i_ignore text[], i_backup boolean)
returns text
as $$
-- The query that makes an event's data of a row.
--
-- Parameters: i_pkey and i_ignore are columns, i_ignore is null if none are ignored.
-- Returns SQL with the parameters $1, the row (the old one for DELETE), and $2, the old row
-- of an UPDATE, and these columns:
--     pkey_changed, ignored_changed, other_changed   by an UPDATE
--     data, backup                                   ev_data, for sql without the key; ev_extra2
--     key                                            for sql: column='value' of each key column
--     magic_fields, magic_values                     fields that columns set, and to what
--
-- It runs on anybody's search_path, so every name in it has its schema.  OFFSET 0 keeps the
-- planner from putting the row in the place of each mention of it.
declare
    _row      constant text := '(select (_v.r).* from (select $%s as r offset 0) as _v) as %s';
    _joined   constant text := 'pg_catalog.array_to_string(array[%s]::pg_catalog.text[], %L)';
    _update   constant boolean := i_op = 'UPDATE';
    _column   record;
    _name     text;
    _label    text;
    _value    text;
    _changed  text;
    _is_pkey  boolean;
    _pkey_changed    text := 'false';
    _ignored_changed text := 'false';
    _other_changed   text := 'false';
    _labels   text := '';
    _data     text := '';
    _backup   text := '';
    _key      text := '';
    _magic_fields text[] := '{}'::text[];
    _magic_values text := '';
begin
    for _column in
        select attname, atttypid, attgenerated <> '' as generated from pg_attribute
         where attrelid = i_relid and attnum > 0 and not attisdropped
         order by attnum
    loop
        _name := _column.attname;
        _label := quote_ident(_name);
        _value := '_r.' || _label;
        _is_pkey := _name = any (i_pkey) and not starts_with(_name, '_pgtq_ev_');

        -- generated columns are computed after BEFORE triggers
        _changed := null;
        if _update and (_is_pkey or i_ignore is not null or i_format = 'sql')
           and not (_column.generated and i_when = 'BEFORE') then
            _changed := pgtq._trigger_changed(_column.atttypid, _label);
            if _is_pkey then
                _pkey_changed := _pkey_changed || ' or ' || _changed;
            elsif starts_with(_name, '_pgtq_ev_') or _name = any (i_ignore) then
                _ignored_changed := _ignored_changed || ' or ' || _changed;
            else
                _other_changed := _other_changed || ' or ' || _changed;
            end if;
        end if;
        if _is_pkey and i_format = 'sql' and i_op <> 'INSERT' then
            _key := _key || ', ' || pgtq._trigger_value('key', _column.atttypid,
                                                        case when _update then '_o.' || _label else _value end, _label || '=');
        end if;
        if starts_with(_name, '_pgtq_ev_') then
            _magic_fields := _magic_fields || substr(_name, 7);
            _magic_values := _magic_values || ', ' || pgtq._trigger_value('text', _column.atttypid, _value, null);
            continue;
        end if;
        continue when _name = any (i_ignore);

        if i_format <> 'sql' then
            _data := _data || ', ' || pgtq._trigger_value(i_format, _column.atttypid, _value, _name);
        elsif i_op = 'INSERT' then
            _labels := _labels || ',' || _label;
            _data := _data || ', ' || pgtq._trigger_value('sql', _column.atttypid, _value, 'null');
        elsif _changed is not null then
            _data := _data || format(', case when %s then pg_catalog.concat(%L, %s) end', _changed, _label || '=',
                                     pgtq._trigger_value('sql', _column.atttypid, _value, 'NULL'));
        end if;
        if i_format = 'sql' and i_backup and _update then
            _backup := _backup || ', ' || pgtq._trigger_value('url', _column.atttypid, _value, _name);
        end if;
    end loop;

    _data := format(_joined, substr(_data, 3), case i_format when 'url' then '&' else ',' end);
    if i_format = 'json' then
        _data := 'pg_catalog.concat(''{'', ' || _data || ', ''}'')';
    elsif i_format = 'sql' and i_op = 'INSERT' then
        _data := 'pg_catalog.concat(' || quote_literal('(' || substr(_labels, 2) || ') values (') || ', ' || _data || ', '')'')';
    end if;
    if i_backup and _update then
        _backup := case i_format when 'sql' then format(_joined, substr(_backup, 3), '&') else _data end;
        _backup := '(select ' || _backup || ' from ' || format(_row, 2, '_r') || ')';
    else
        _backup := 'null';
    end if;
    return 'select ' || _pkey_changed || ', ' || _ignored_changed || ', ' || _other_changed || ', ' || _data || ', ' || _backup
           || ', array[' || substr(_key, 3) || ']::pg_catalog.text[], ' || quote_literal(_magic_fields)
           || '::pg_catalog.text[], array[' || substr(_magic_values, 3) || ']::pg_catalog.text[]'
           || ' from ' || format(_row, 1, '_r') || case when _update then ', ' || format(_row, 2, '_o') else '' end;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_sql(text, oid, text, text, text[], text[], boolean) is 'Internal: SQL that makes an event''s data of a row';
--@end
