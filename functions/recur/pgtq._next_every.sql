create or replace function pgtq._next_every(
    in i_every interval, in i_anchor timestamptz, in i_zone text, in i_after timestamptz, out at timestamptz, out shift text)
as $$
-- The first moment after i_after that is a multiple of an interval away from i_anchor, which itself is
-- the first of all.  Every one is counted from there, so nothing adds up: the 31st of January plus a month,
-- two, three, is the 28th of February, the 31st of March, the 30th of April.
--
-- An interval without days and months is real time.  Days and months are those of a time zone; see
-- _zone_moment() for the days on which the clocks are changed.
declare
    _time   constant interval := i_every - date_trunc('day', i_every);
    _micros bigint;
    _local  timestamp;
    _n      bigint;
begin
    if i_after < i_anchor then
        at := i_anchor;
        return;
    end if;
    if _time = i_every and extract(day from i_every) = 0 then
        _micros := extract(epoch from i_every) * 1000000;
        _n := (extract(epoch from i_after - i_anchor) * 1000000)::bigint / _micros + 1;
        at := i_anchor + _n * _micros * interval '1 microsecond';
        return;
    end if;
    -- not far below it, with months of 30.436875 days; then it is looked for
    _n := greatest(extract(epoch from i_after - i_anchor)
                   / (extract(year from i_every) * 31556952 + extract(month from i_every) * 2629746
                      + extract(day from i_every) * 86400 + extract(epoch from _time)) - 3, 1);
    _local := i_anchor at time zone i_zone;
    loop
        select z.at, z.shift into at, shift from pgtq._zone_moment(i_zone, _local + _n * i_every) z;
        exit when at > i_after;
        _n := _n + 1;
    end loop;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._next_every(interval, timestamptz, text, timestamptz) is 'Internal: the next multiple of an interval';
