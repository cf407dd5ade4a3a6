create or replace function pgtq._now()
returns timestamptz
as $$
-- What time it is for pgtq: the time of the clock, plus pgtq.clock_offset.  That setting is for
-- tests, which need not wait until tomorrow.  Every name is qualified: it becomes part of the
-- query that calls it, and some of those run as their callers.
select pg_catalog.clock_timestamp() operator(pg_catalog.+)
       case when pg_catalog.current_setting('pgtq.clock_offset', true) operator(pg_catalog.<>) ''
            then pg_catalog.current_setting('pgtq.clock_offset', true)::pg_catalog.interval
            else '0'::pg_catalog.interval end;
$$ language sql;

comment on function pgtq._now() is 'Internal: the time, or that of a test';
