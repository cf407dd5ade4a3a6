--@pl
create or replace function pgtq._trigger_fields(
    i_format text, i_op text, i_fields text[],
    i_pkey_changed boolean, i_ignored_changed boolean, i_other_changed boolean,
    i_data text, i_backup text, i_key text[], i_magic_fields text[], i_magic_values text[])
returns text[]
as $$
-- The fields of an event, from those that _trigger_plan() knows and the row of its query.
-- Null if the change is not worth an event: only ignored columns have changed.
declare
    _fields text[] := i_fields;
    _n      integer;
begin
    if i_pkey_changed then
        raise exception 'primary key update not allowed'
            using errcode = 'triggered_data_change_violation',
                  hint = 'Delete the row and insert it anew, or name other columns with pkey=.';
    elsif i_ignored_changed and not i_other_changed then
        return null;
    end if;

    _fields[2] := i_data;
    _fields[4] := i_backup;
    if i_format = 'sql' and i_op in ('UPDATE', 'DELETE') then
        if i_key = '{}' then
            perform pgtq._trigger_no_pkey();
        elsif array_position(i_key, null) is not null then
            raise exception 'Unexpected NULL key value'
                using errcode = 'null_value_not_allowed', hint = 'Columns of pkey= must not be NULL.';
        end if;
        _fields[2] := array_to_string(i_key, ' and ');
        -- an UPDATE that has changed nothing sets the first column of the key to what it is
        if i_op = 'UPDATE' then
            _fields[2] := concat(case i_data when '' then i_key[1] else i_data end, ' where ', _fields[2]);
        end if;
    end if;

    for _i in 1 .. cardinality(i_magic_fields) loop
        _n := array_position('{type,data,extra1,extra2,extra3,extra4}', substr(i_magic_fields[_i], 4));
        if _n is null then
            raise exception 'Unknown magic column: _pgtq_%', i_magic_fields[_i]
                using errcode = 'undefined_column',
                      hint = 'Columns that begin with _pgtq_ev_ set a field of the event: type, data, extra1 to extra4.';
        end if;
        _fields[_n] := i_magic_values[_i];
    end loop;
    return _fields;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_fields(text, text, text[], boolean, boolean, boolean, text, text, text[], text[], text[])
    is 'Internal: the fields of an event that a row makes';
--@end
