create or replace function pgtq.schedule_at(
    fire_at timestamptz, action text, shard_key bigint default 0, timeout_ms integer default 0,
    queue text default 'timers', key text default null, on_conflict text default 'keep', max_delay interval default null,
    max_attempts integer default 1, backoff interval default '1 second', expires_in interval default null)
returns bigint
-- Schedules SQL to be run at a time, as the calling role.
--
-- Parameters:
--   fire_at       when; a time that has passed means at once
--   action        the SQL, up to 1 MB
--   shard_key     for distributing timers over servers
--   timeout_ms    how long the action may take; 0 is pgtq.action_timeout
--   queue         a queue with an executor; "timers" is made by the first call
--   key           at most one timer of a key is pending in a queue
--   on_conflict   if there is one: keep it and return null, replace it (time and action), or
--                 update it (the action only)
--   max_delay     replace: never later than this after the first schedule
--   max_attempts  how many times to try an action that fails, with pauses of backoff, doubled each
--                 time
--   expires_in    do not run it later than this after fire_at
-- Returns the timer's id.
--@c
as 'MODULE_PATHNAME', 'pgtq_schedule_at' language c cost 100;
--@pl
as $$
#variable_conflict use_variable
declare
    _id bigint;
begin
    if key is null and max_delay is null and expires_in is null and on_conflict operator(pg_catalog.=) 'keep'
        and shard_key operator(pg_catalog.=) 0 and timeout_ms operator(pg_catalog.=) 0
        and max_attempts operator(pg_catalog.=) 1 and backoff operator(pg_catalog.=) '1 second'
    then
        insert into pgtq.plain_request (queue, at, action) values (queue, fire_at, action) returning timer into _id;
        return _id;
    end if;
    insert into pgtq.request (op, queue, at, is_action, ev_type, ev_data, shard, timeout, attempts, backoff, expires_in,
                              key, on_conflict, max_delay)
        values ('schedule', queue, fire_at, true, 'timer', action, shard_key, timeout_ms, max_attempts, backoff, expires_in,
                key, on_conflict, max_delay)
        returning timer into _id;
    return _id;
end;
$$ language plpgsql;
--@end

comment on function pgtq.schedule_at(timestamptz, text, bigint, integer, text, text, text, interval, integer, interval, interval)
    is 'Run SQL at a time, as the calling role; the id of the timer';
