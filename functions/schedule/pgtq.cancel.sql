create or replace function pgtq.cancel(timer_id bigint, shard_key bigint default 0)
returns boolean
-- Cancels a pending timer of the calling role; pgtq_admin may cancel all.
--
-- Parameters: shard_key is that of the timer, where timers are distributed over servers.
-- Returns true: it will not run, once the caller commits.  False: it ran, is running or about
-- to (see pgtq.fetch_ahead), or never was.  Waits for whoever is moving or cancelling it just now.
--@c
as 'MODULE_PATHNAME', 'pgtq_cancel' language c cost 100;
--@pl
as $$
declare
    _done boolean;
begin
    insert into pgtq.request (op, timer) values ('cancel', timer_id) returning done into _done;
    return _done;
end;
$$ language plpgsql;
--@end

comment on function pgtq.cancel(bigint, bigint) is 'Cancel a pending timer; false: it ran, is running, or never was';
