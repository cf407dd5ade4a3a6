create or replace function pgtq._now()
returns timestamptz
as $$
-- What time it is for pgtq: the time of the clock, plus pgtq.clock_offset.  That setting is for
-- tests, which need not wait until tomorrow.
begin
    return pg_catalog.clock_timestamp()
           + coalesce(nullif(pg_catalog.current_setting('pgtq.clock_offset', true), ''), '0')::pg_catalog.interval;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._now() is 'Internal: the time, or that of a test';
