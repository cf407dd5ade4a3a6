create or replace function pgtq._running(
    out timer bigint, out queue_id integer, out role oid, out pid integer, out since timestamptz)
returns setof record
-- What sessions of the executor run now: the caller's own, or for pgtq_admin everybody's.  Tells
-- who calls, so it must not be SECURITY DEFINER; see the view running.
--@c
as 'MODULE_PATHNAME', 'pgtq_running' language c;
--@pl
as $$
begin
    timer := null;
    queue_id := null;
    role := null;
    pid := null;
    since := null;
    return;             -- there are no sessions
end;
$$ language plpgsql;
--@end

comment on function pgtq._running() is 'Internal: what sessions of the executor run now';
