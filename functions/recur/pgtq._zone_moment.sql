create or replace function pgtq._zone_moment(in i_zone text, in i_local timestamp, out at timestamptz, out shift text)
as $$
-- The moment at which the clocks of a zone show a time: of two, the first; if they skip it, the
-- first moment after.  shift says which: repeated or skipped.
--
-- The two candidates are made with the zone's offsets of two days before and after.
declare
    _utc    constant timestamptz := i_local at time zone 'UTC';
    _a      timestamptz := _utc - interval '2 days';
    _b      timestamptz := _utc + interval '2 days';
begin
    _a := _utc - (_a at time zone i_zone - _a at time zone 'UTC');
    _b := _utc - (_b at time zone i_zone - _b at time zone 'UTC');
    if _a = _b then
        at := _a;
    elsif least(_a, _b) at time zone i_zone = i_local then
        at := least(_a, _b);
        shift := case when greatest(_a, _b) at time zone i_zone = i_local then 'repeated' end;
    elsif greatest(_a, _b) at time zone i_zone = i_local then
        at := greatest(_a, _b);
    else
        at := pgtq._zone_shift(i_zone, least(_a, _b), greatest(_a, _b));
        shift := 'skipped';
    end if;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._zone_moment(text, timestamp) is 'Internal: the moment at which the clocks of a zone show a time';
