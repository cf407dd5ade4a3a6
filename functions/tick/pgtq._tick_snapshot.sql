create or replace function pgtq._tick_snapshot()
returns pg_snapshot
as $$
-- The snapshot of a tick that is made now: the current one, with our own transaction as one
-- that is still running.
--
-- PostgreSQL does not list a transaction in its own snapshots.  Taken as it is, such a
-- snapshot sees all events of our transaction, or none, depending on what others have done;
-- and it would see those that we insert after a batch up to this tick has been read.
-- (A transaction that has no id yet will get one that the snapshot does not see.)
--
-- The mover of the delay store needs the same: what its transaction schedules later is not
-- what it has seen.
declare
    _s      pg_snapshot := pg_current_snapshot();
    _own    xid8 := pg_current_xact_id_if_assigned();
begin
    if _own is null or not pg_visible_in_snapshot(_own, _s) then
        return _s;
    end if;
    return (select format('%s:%s:%s', (array_agg(x order by x))[1], pg_snapshot_xmax(_s), string_agg(x::text, ',' order by x))::pg_snapshot
              from (select pg_snapshot_xip(_s) union all select _own) r (x));
end;
$$ language plpgsql;

comment on function pgtq._tick_snapshot() is 'Internal: the snapshot of a tick that is made now';
