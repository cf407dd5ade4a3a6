create or replace function pgtq.schedule_many(
    fire_at timestamptz[], action text[], shard_key bigint[] default null, timeout_ms integer default 0,
    queue text default 'timers', key text[] default null, on_conflict text default 'keep',
    max_attempts integer default 1, backoff interval default '1 second', expires_in interval default null)
returns bigint[]
-- Schedules many actions at once, as the calling role.
--
-- Parameters: as of schedule_at(); arrays have one element for each timer.
-- Returns the ids in the same order; null for one that was kept (see on_conflict).
--@c
as 'MODULE_PATHNAME', 'pgtq_schedule_many' language c cost 100;
--@pl
as $$
#variable_conflict use_variable
declare
    _ids bigint[];
begin
    insert into pgtq.request (op, queue, many_at, many_data, many_shard, timeout, attempts, backoff, expires_in, many_key, on_conflict)
        values ('schedule_many', queue, fire_at, action, shard_key, timeout_ms, max_attempts, backoff, expires_in, key, on_conflict)
        returning many_timer into _ids;
    return _ids;
end;
$$ language plpgsql;
--@end

comment on function pgtq.schedule_many(timestamptz[], text[], bigint[], integer, text, text[], text, integer, interval, interval)
    is 'Run many pieces of SQL, each at its time, as the calling role; the ids of the timers';
