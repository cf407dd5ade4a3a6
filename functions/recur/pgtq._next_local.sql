create or replace function pgtq._next_local(i_cron pgtq.cron, i_from timestamp)
returns timestamp
as $$
-- The first local time from i_from on, that included, that a cron expression means; null if there is
-- none in 50 years, which means: never (the 29th of February is a given day of the week, at the
-- first or last, every 40 years).
--
-- It goes from field to field, and from month to month, and never from minute to minute, so
-- that no expression takes long.  The lowest bit of a set x is x & -x.
declare
    _from   constant timestamp := date_trunc('second', i_from + interval '999999 microseconds');
    _ln2    constant float8 := ln(2::float8);
    _first  constant interval := make_interval(
        hours => round(ln((i_cron.hours & -i_cron.hours)::float8) / _ln2)::integer,
        mins => round(ln((i_cron.minutes & -i_cron.minutes)::float8) / _ln2)::integer,
        secs => round(ln((i_cron.seconds & -i_cron.seconds)::float8) / _ln2));
    _year   integer := extract(year from _from);
    _month  integer := extract(month from _from);
    _day    integer := extract(day from _from);
    _hour   integer := extract(hour from _from);
    _minute integer := extract(minute from _from);
    _second integer := extract(second from _from);
    _set    bigint;
begin
    if (i_cron.months >> _month) & 1 = 1 then
        _set := pgtq._cron_days(i_cron, _year, _month) >> _day;
        if _set & 1 = 1 then
            -- today, the rest of this minute, of this hour, of this day
            if (i_cron.hours >> _hour) & 1 = 1 then
                if (i_cron.minutes >> _minute) & 1 = 1 and i_cron.seconds >> _second <> 0 then
                    _set := i_cron.seconds >> _second;
                    return date_trunc('minute', _from) + make_interval(secs => _second + round(ln((_set & -_set)::float8) / _ln2));
                elsif i_cron.minutes >> _minute + 1 <> 0 then
                    _set := i_cron.minutes >> _minute + 1;
                    return date_trunc('hour', _from) + make_interval(
                        mins => _minute + 1 + round(ln((_set & -_set)::float8) / _ln2)::integer, secs => extract(second from _first)::float8);
                end if;
            end if;
            _set := i_cron.hours >> _hour + 1;
            if _set <> 0 then
                return date_trunc('day', _from) + make_interval(
                    hours => _hour + 1 + round(ln((_set & -_set)::float8) / _ln2)::integer,
                    mins => extract(minute from _first)::integer, secs => extract(second from _first)::float8);
            end if;
            _set := pgtq._cron_days(i_cron, _year, _month) >> _day;
        end if;
        _set := _set >> 1;
        if _set <> 0 then
            return make_date(_year, _month, _day + 1 + round(ln((_set & -_set)::float8) / _ln2)::integer) + _first;
        end if;
    end if;
    for _n in 1 .. 600 loop
        _month := _month % 12 + 1;
        _year := _year + case when _month = 1 then 1 else 0 end;
        continue when (i_cron.months >> _month) & 1 = 0;
        _set := pgtq._cron_days(i_cron, _year, _month);
        if _set <> 0 then
            return make_date(_year, _month, round(ln((_set & -_set)::float8) / _ln2)::integer) + _first;
        end if;
    end loop;
    return null;
end;
$$ language plpgsql immutable set search_path = pg_catalog, pg_temp;

comment on function pgtq._next_local(pgtq.cron, timestamp) is 'Internal: the next local time that a cron expression means';
