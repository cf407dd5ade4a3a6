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
-- It runs on anybody's search_path, so every name in it has its schema.  A value is written
-- by concat(), which calls the type's output function; a cast to text is another thing for
-- char(n), inet, boolean.  "is not distinct from null" is null itself, while "is null" is also
-- a row of nulls.  "<>" of records is that of the column's type, wherever its operators are.
-- OFFSET 0 keeps the planner from putting the row in the place of each mention of it.
declare
    _is_null    constant text := '%1$s is not distinct from null';
    _as_text    constant text := 'case when ' || _is_null || ' then null else pg_catalog.concat(%1$s) end';
    _as_url     constant text := 'case when ' || _is_null || ' then %2$L else pg_catalog.concat(%2$L, ''='', pgtq._urlencode(pg_catalog.concat(%1$s))) end';
    _as_literal constant text := 'case when ' || _is_null || ' then %2$L else pg_catalog.quote_literal(pg_catalog.concat(%1$s)) end';
    _as_json    constant text := 'case when ' || _is_null || ' then %3$L else pg_catalog.concat(%2$L, pg_catalog.to_json(pg_catalog.concat(%1$s))) end';
    _as_bare    constant text := 'case when ' || _is_null || ' then %3$L else pg_catalog.concat(%2$L, pg_catalog.to_json(%1$s)) end';
    _differ     constant text := '(row(%1$s)::pg_catalog.record operator(pg_catalog.<>) row(%2$s)::pg_catalog.record)';
    _update     constant boolean := i_op = 'UPDATE';
    _sql        text;
begin
    with cols as materialized (
        select a.attnum, a.attname::text as name, quote_ident(a.attname) as label, a.atttypid,
               format('_r.%I', a.attname) as new, format('_o.%I', a.attname) as old,
               starts_with(a.attname, '_pgtq_ev_') as magic,
               starts_with(a.attname, '_pgtq_ev_') or coalesce(a.attname = any (i_ignore), false) as left_out,
               a.attname = any (i_pkey) and not starts_with(a.attname, '_pgtq_ev_') as pkey,
               -- computed after BEFORE triggers, so not known yet
               a.attgenerated <> '' and i_when = 'BEFORE' as unknown
          from pg_attribute a
         where a.attrelid = i_relid and a.attnum > 0 and not a.attisdropped
    ), parts as (
        select c.*,
               case when not _update or unknown or (i_format <> 'sql' and not pkey and i_ignore is null) then 'false'
                    when pgtq._compared_as_text(atttypid, false)
                    then format(_differ, format(_as_text, new) || ' collate pg_catalog."C"', format(_as_text, old) || ' collate pg_catalog."C"')
                    else format(_differ, new, old) end as changed,
               case when i_format = 'url' or i_format = 'sql' then _as_url
                    when atttypid in ('boolean'::regtype, 'smallint'::regtype, 'integer'::regtype, 'bigint'::regtype,
                                      'date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) then _as_bare
                    else _as_json end as template,
               case when i_format = 'json' then to_json(name)::text || ':' else pgtq._urlencode(name) end as word
          from cols c
    )
    select format('select %s as pkey_changed, %s as ignored_changed, %s as other_changed, %s as data, %s as backup,'
                  ' array[%s]::pg_catalog.text[] as key, %L::pg_catalog.text[] as magic_fields, array[%s]::pg_catalog.text[] as magic_values'
                  ' from (select (_v.r).* from (select $1 as r offset 0) as _v) as _r%s',
                  coalesce(string_agg(changed, ' or ') filter (where pkey), 'false'),
                  coalesce(string_agg(changed, ' or ') filter (where left_out and not pkey), 'false'),
                  coalesce(string_agg(changed, ' or ') filter (where not left_out and not pkey), 'false'),
                  case when i_format = 'json'
                       then format('pg_catalog.concat(''{'', pg_catalog.array_to_string(array[%s]::pg_catalog.text[], '',''), ''}'')',
                                   string_agg(format(template, new, word, word || 'null'), ', ' order by attnum) filter (where not left_out))
                       when i_format = 'url'
                       then format('pg_catalog.array_to_string(array[%s]::pg_catalog.text[], ''&'')',
                                   string_agg(format(template, new, word), ', ' order by attnum) filter (where not left_out))
                       when _update
                       then format('pg_catalog.array_to_string(array[%s]::pg_catalog.text[], '','')',
                                   string_agg(format('case when %s then pg_catalog.concat(%L, %s) end',
                                                     changed, label || '=', format(_as_literal, new, 'NULL')), ', ' order by attnum)
                                       filter (where not left_out))
                       when i_op = 'INSERT'
                       then format('pg_catalog.concat(%L, pg_catalog.array_to_string(array[%s]::pg_catalog.text[], '',''), '')'')',
                                   '(' || coalesce(string_agg(label, ',' order by attnum) filter (where not left_out), '') || ') values (',
                                   string_agg(format(_as_literal, new, 'null'), ', ' order by attnum) filter (where not left_out))
                       else '''''' end,
                  case when not i_backup or not _update then 'null'
                       when i_format = 'json'
                       then format('pg_catalog.concat(''{'', pg_catalog.array_to_string(array[%s]::pg_catalog.text[], '',''), ''}'')',
                                   string_agg(format(template, old, word, word || 'null'), ', ' order by attnum) filter (where not left_out))
                       else format('pg_catalog.array_to_string(array[%s]::pg_catalog.text[], ''&'')',
                                   string_agg(format(template, old, word), ', ' order by attnum) filter (where not left_out)) end,
                  string_agg(format('case when ' || _is_null || ' then null else pg_catalog.concat(%2$L, pg_catalog.quote_literal(pg_catalog.concat(%1$s))) end',
                                    case when _update then old else new end, label || '='), ', ' order by attnum)
                      filter (where i_format = 'sql' and pkey),
                  coalesce(array_agg(substr(name, 7) order by attnum) filter (where magic), '{}'),
                  string_agg(format(_as_text, new), ', ' order by attnum) filter (where magic),
                  case when _update then ', (select (_v.r).* from (select $2 as r offset 0) as _v) as _o' end)
      into _sql from parts;
    return _sql;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_sql(text, oid, text, text, text[], text[], boolean) is 'SQL that makes an event''s data of a row';
--@end
