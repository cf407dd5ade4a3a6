create or replace function pgtq._next_cron(in i_cron pgtq.cron, in i_zone text, in i_after timestamptz, out at timestamptz, out shift text)
as $$
-- The first moment after i_after that a cron expression means in a time zone; null if there is none.
-- shift as in _zone_moment().
--
-- Where hours are given, the expression means local times, and each is one moment, see
-- _zone_moment().  Where every hour is meant, it means all moments at which the local
-- time fits: then an hour that is repeated counts twice, and one that is skipped not at all.
declare
    _local  timestamp := i_after at time zone i_zone;
    _next   timestamp;
    _moment timestamptz;
    _from   timestamptz := i_after;
    _is_in  boolean := false;           -- is _from itself a candidate?
begin
    if i_cron.hours <> (1::bigint << 24) - 1 then
        select z.at into _moment from pgtq._zone_moment(i_zone, _local) z;
        if _moment < i_after then
            -- in the second of two equal hours: go on with what comes after both
            _local := pgtq._zone_shift(i_zone, _moment, i_after) at time zone 'UTC'
                      + (_moment at time zone i_zone - _moment at time zone 'UTC') - interval '1 microsecond';
        end if;
        _next := pgtq._next_local(i_cron, _local + interval '1 microsecond');
        select z.at, z.shift into at, shift from pgtq._zone_moment(i_zone, _next) z;
        return;
    end if;

    loop
        _next := pgtq._next_local(i_cron, _local + case when _is_in then interval '0' else '1 microsecond' end);
        if _next is null then
            at := null;
            return;
        end if;
        at := _from + least(_next - _local, interval '2 days');
        if at at time zone i_zone - _local = at - _from then
            exit when at at time zone i_zone = _next;
            -- until two days before the next one no other local time fits, however the clocks are changed
            _from := greatest(at, (_next - interval '2 days') at time zone i_zone);
            _local := _from at time zone i_zone;
            _is_in := true;
            continue;
        end if;
        -- the clocks are changed meanwhile: look again from there on
        _from := pgtq._zone_shift(i_zone, _from, at);
        _local := _from at time zone i_zone;
        _is_in := true;
    end loop;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._next_cron(pgtq.cron, text, timestamptz) is 'Internal: the next moment that a cron expression means';
