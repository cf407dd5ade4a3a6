create or replace function pgtq._cron_item(
    in i_item text, in i_low integer, in i_high integer, in i_names text[], out numbers bigint, out error text)
as $$
-- One item of a list in a field of a cron expression: *, 5, 5-9, 5/10, 5-9/2 or */2, and names
-- instead of numbers.
--
-- Parameters: i_low to i_high are the numbers that there are; the first of i_names is i_low's.
-- Returns the set of numbers, bit by bit, or what is wrong.
declare
    _part   text[];
    _from   integer;
    _to     integer;
    _step   integer := 1;
begin
    _part := regexp_match(i_item, '^(\*|\?|[a-z]+|[0-9]{1,9})(?:-([a-z]+|[0-9]{1,9}))?(?:/([0-9]{1,9}))?$', 'i');
    if _part is null or _part[1] in ('*', '?') and _part[2] is not null then
        error := 'it is neither a number, a name, a range, nor * (each also with /step)';
        return;
    end if;
    if _part[3] is not null then
        _step := _part[3]::integer;
        if _step = 0 then
            error := 'a step must be at least 1';
            return;
        end if;
    end if;
    if _part[1] in ('*', '?') then
        _from := i_low;
        _to := least(i_high, i_low + array_length(i_names, 1) - 1);
        _to := coalesce(_to, i_high);
    else
        for _n in 1 .. 2 loop
            continue when _part[_n] is null or _part[_n] ~ '^[0-9]';
            if array_position(i_names, lower(_part[_n])) is null then
                error := format('"%s" is no name here', _part[_n]);
                return;
            end if;
            _part[_n] := i_low + array_position(i_names, lower(_part[_n])) - 1;
        end loop;
        _from := _part[1]::integer;
        _to := coalesce(_part[2], case when _part[3] is null then _part[1] else i_high::text end)::integer;
        if i_high = 7 and _to = 0 and _from > 0 then
            _to := 7;                               -- FRI-SUN
        end if;
        if _from not between i_low and i_high or _to not between i_low and i_high then
            error := format('%s is not between %s and %s', case when _from between i_low and i_high then _to else _from end, i_low, i_high);
            return;
        end if;
        if _from > _to then
            error := format('the range %s-%s ends before it begins', _part[1], _part[2]);
            return;
        end if;
    end if;
    numbers := 0;
    while _from <= _to loop
        numbers := numbers | (1::bigint << _from);
        _from := _from + _step;
    end loop;
end;
$$ language plpgsql immutable set search_path = pg_catalog, pg_temp;

comment on function pgtq._cron_item(text, integer, integer, text[]) is 'Internal: one item of a field of a cron expression';
