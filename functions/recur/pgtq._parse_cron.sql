create or replace function pgtq._parse_cron(i_cron text)
returns pgtq.cron
as $$
-- Parses a cron expression of 5 fields, or 6 with seconds first, or @hourly and the like.  What is
-- wrong is an error that names the field and its text; so is what never happens, such as the
-- 30th of February.
declare
    _names  constant text[] := array['second', 'minute', 'hour', 'day of the month', 'month', 'day of the week'];
    _months constant text[] := 
        array['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
    _fields text[];
    _sets   bigint[] := array[0, 0, 0, 0, 0, 0];
    _cron   pgtq.cron;
    _added  record;
    _set    bigint;
    _item   text;
    _error  text;
begin
    if i_cron is null then
        raise exception 'cron expression must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    if octet_length(i_cron) > 1000 then
        raise exception 'cron expression is too long: % bytes', octet_length(i_cron)
            using errcode = 'program_limit_exceeded', detail = 'The limit is 1000 bytes.';
    end if;
    _item := btrim(i_cron, E' \t\r\n');
    _fields := regexp_split_to_array(case lower(_item)
        when '@yearly' then '0 0 1 1 *' when '@annually' then '0 0 1 1 *' when '@monthly' then '0 0 1 * *'
        when '@weekly' then '0 0 * * 0' when '@daily' then '0 0 * * *' when '@midnight' then '0 0 * * *'
        when '@hourly' then '0 * * * *' when '@minutely' then '* * * * *' else _item end, '\s+');
    if cardinality(_fields) = 5 then
        _fields := array['0'] || _fields;
    end if;
    if cardinality(_fields) <> 6 then
        raise exception 'invalid cron expression "%": it has % fields', i_cron, case when _item = '' then 0 else cardinality(_fields) end
            using errcode = 'invalid_parameter_value',
                  detail = 'Fields are: second (optional), minute, hour, day of the month, month, day of the week.',
                  hint = 'Instead of fields there are @yearly, @monthly, @weekly, @daily, @hourly, @minutely and, for instance, @every 90s.';
    end if;

    _cron.days := 0;
    _cron.from_end := 0;
    _cron.workdays := 0;
    _cron.weekdays := 0;
    _cron.nth := 0;
    for _n in 1 .. 6 loop
        foreach _item in array string_to_array(_fields[_n], ',') loop
            _error := null;
            if _n in (4, 6) then
                select * into _added from pgtq._cron_day_item(_cron, _item, _n = 6);
                _cron := _added.io_cron;
                _error := _added.error;
            elsif _item ~ '^\?' then
                _error := '? is for days only';
            else
                select i.numbers, i.error into _set, _error
                  from pgtq._cron_item(_item, case when _n = 5 then 1 else 0 end, (array[59, 59, 23, null, 12])[_n],
                                       case when _n = 5 then _months end) i;
                _sets[_n] := _sets[_n] | _set;
            end if;
            if _error is not null then
                raise exception 'invalid % field "%" in cron expression "%"', _names[_n], _fields[_n], i_cron
                    using errcode = 'invalid_parameter_value',
                          detail = case when _item = _fields[_n] then '' else format('In "%s": ', _item) end || _error || '.';
            end if;
        end loop;
    end loop;
    _cron.seconds := _sets[1];
    _cron.minutes := _sets[2];
    _cron.hours := _sets[3];
    _cron.months := _sets[5];
    _cron.is_either := _fields[4] !~ '^[*?]' and _fields[6] !~ '^[*?]';
    if pgtq._next_local(_cron, '2001-01-01') is null then
        raise exception 'invalid day of the month field "%" in cron expression "%"', _fields[4], i_cron
            using errcode = 'invalid_parameter_value', detail = 'There is no such day in its months.';
    end if;
    return _cron;
end;
$$ language plpgsql immutable set search_path = pg_catalog, pg_temp;

comment on function pgtq._parse_cron(text) is 'Internal: parse a cron expression';
