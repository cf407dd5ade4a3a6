create or replace function pgtq._time_in(i_delay interval)
returns timestamptz
as $$
-- The time that is a delay away from now.  Takes part in calls that run as their callers.
begin
    return pgtq._now() operator(pg_catalog.+) i_delay;
end;
$$ language plpgsql;

comment on function pgtq._time_in(interval) is 'Internal: the time that is a delay away from now';
