create or replace function pgtq._cron_days(i_cron pgtq.cron, i_year integer, i_month integer)
returns bigint
as $$
-- The days of a month that a cron expression means: bit n is the n-th.
declare
    _first  constant date := make_date(i_year, i_month, 1);
    _length constant integer := extract(day from _first + interval '1 month' - interval '1 day');
    _all    constant bigint := (1::bigint << _length + 1) - 2;
    _days   bigint := i_cron.days;
    _weeks  bigint := 0;
    _day    integer;
    _dow    integer;
begin
    if i_cron.from_end <> 0 then
        for _n in 0 .. _length - 1 loop
            if (i_cron.from_end >> _n) & 1 = 1 then
                _days := _days | (1::bigint << _length - _n);
            end if;
        end loop;
    end if;
    if i_cron.workdays <> 0 then
        for _n in 0 .. _length loop
            continue when (i_cron.workdays >> _n) & 1 = 0;
            _day := case when _n = 0 then _length else _n end;
            _dow := extract(dow from _first + _day - 1);
            _day := _day + case when _dow = 6 and _day = 1 then 2
                                when _dow = 6 then -1
                                when _dow = 0 and _day = _length then -2
                                when _dow = 0 then 1
                                else 0 end;
            _days := _days | (1::bigint << _day);
        end loop;
    end if;

    -- a weekday's days of the month are five bits, shifted by where the first one is
    for _n in 0 .. 6 loop
        continue when (i_cron.weekdays >> _n) & 1 = 0 and i_cron.nth = 0;
        _day := 1 + (_n - extract(dow from _first)::integer + 7) % 7;
        if (i_cron.weekdays >> _n) & 1 = 1 then
            _weeks := _weeks | (270549121::bigint << _day);       -- bits 0, 7, 14, 21, 28
        end if;
        for _k in 0 .. 5 loop
            continue when (i_cron.nth >> 7 * _k + _n) & 1 = 0;
            _weeks := _weeks | (1::bigint << case when _k > 0 then _day + 7 * (_k - 1)
                                                 when _day + 28 <= _length then _day + 28
                                                 else _day + 21 end);
        end loop;
    end loop;
    return (case when i_cron.is_either then _days | _weeks else _days & _weeks end) & _all;
end;
$$ language plpgsql immutable set search_path = pg_catalog, pg_temp;

comment on function pgtq._cron_days(pgtq.cron, integer, integer) is 'Internal: the days of a month that a cron expression means';
