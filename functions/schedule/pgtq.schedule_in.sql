create or replace function pgtq.schedule_in(
    fire_in interval, action text, shard_key bigint default 0, timeout_ms integer default 0,
    queue text default 'timers', key text default null, on_conflict text default 'keep', max_delay interval default null,
    max_attempts integer default 1, backoff interval default '1 second', expires_in interval default null)
returns bigint
-- Schedules SQL to be run after some time, as the calling role.
--
-- Parameters: fire_in counts from the moment of the call, not from the start of the transaction;
-- a negative one means at once.  The others are those of schedule_at().
-- Returns the timer's id.
--@c
as 'MODULE_PATHNAME', 'pgtq_schedule_in' language c cost 100;
--@pl
as $$
begin
    return pgtq.schedule_at(pgtq._now() operator(pg_catalog.+) fire_in, action, shard_key, timeout_ms, queue, key, on_conflict,
                            max_delay, max_attempts, backoff, expires_in);
end;
$$ language plpgsql;
--@end

comment on function pgtq.schedule_in(interval, text, bigint, integer, text, text, text, interval, integer, interval, interval)
    is 'Run SQL after some time, as the calling role; the id of the timer';
