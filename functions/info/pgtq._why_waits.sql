create or replace function pgtq._why_waits(i_timer bigint, i_due boolean)
returns text
as $$
-- Why a timer whose time has come is still there: for why(), which runs as its caller and may
-- not look at all this.  i_due: it has left the delay store, and waits to be run.
--
-- It tells nothing of the timer but which process has locked its row.
declare
    _xid    xid;
    _pid    integer;
    _check  record;
begin
    if pg_is_in_recovery() then
        return 'This server is a standby: it runs nothing before it is promoted.';
    end if;
    if current_setting('pgtq.on_clone', true) = 'pause' and exists (select from pgtq.queue where queue_home <> pgtq._home()) then
        return 'This database is a copy of another one and pgtq.on_clone is "pause": it waits for pgtq.adopt().';
    end if;
    if not i_due then
        for _xid in select d.xmax from pgtq.delay d where d.ev_timer = i_timer and d.xmax <> '0' loop
            select l.pid into _pid from pg_locks l
             where l.locktype = 'transactionid' and l.transactionid = _xid and l.granted;
            if found then
                return coalesce(format('Process %s is cancelling or moving it and has not committed yet.', _pid),
                                'A prepared transaction has cancelled or moved it.');
            end if;
        end loop;
    end if;
    for _check in select h.name, h.seen, h.hint from pgtq.health() h
                   where h.status <> 'ok'
                     and h.name = any (case when i_due then array['server', 'ticks', 'worker slots', 'executor', 'sessions', 'roles']
                                            else array['server', 'worker slots', 'ticker', 'ticks'] end)
    loop
        return format('health() says of %s: %s. %s', _check.name, _check.seen, _check.hint);
    end loop;
    if not pgtq._workers_run() then
        return case when i_due then 'No worker runs here: its role has to call pgtq.run_due().'
                    else 'No worker runs here: somebody has to call pgtq.ticker().' end;
    end if;
    return case when i_due then 'It is about to be run.' else 'It is about to be moved into its queue.' end;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._why_waits(bigint, boolean) is 'Internal: why a timer whose time has come is still there';
