create or replace function pgtq._zone_shift(i_zone text, i_from timestamptz, i_to timestamptz)
returns timestamptz
as $$
-- When between two moments the clocks of a zone were changed: the first moment of the new time.  The
-- caller knows that they were, once; where twice, this is one of them.
declare
    _from   timestamptz := i_from;
    _to     timestamptz := i_to;
    _offset constant interval := i_from at time zone i_zone - i_from at time zone 'UTC';
    _middle timestamptz;
begin
    while _to - _from > '1 microsecond' loop
        _middle := _from + (_to - _from) / 2;
        if _middle at time zone i_zone - _middle at time zone 'UTC' = _offset then
            _from := _middle;
        else
            _to := _middle;
        end if;
    end loop;
    return _to;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._zone_shift(text, timestamptz, timestamptz) is 'Internal: when the clocks of a zone were changed';
