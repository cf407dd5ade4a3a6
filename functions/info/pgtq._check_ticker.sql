create or replace function pgtq._check_ticker(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Does it run, and does it keep up?  Behind is what is due for more than ten seconds and has not
-- left the store; what is locked by a cancel that is still open is not the ticker's fault, and it
-- does not count it.  No row where no workers run.
declare
    _s  record;
begin
    name := 'ticker';
    if not pgtq._workers_run() then
        return;
    end if;
    select * into _s from pgtq._ticker_state();
    if _s.ticker_pid is null then
        status := 'error';
        seen := case when _s.launcher_pid is null then 'neither launcher nor ticker runs' else 'no ticker runs in this database' end;
        hint := 'It starts within a few seconds, unless worker slots are missing or pgtq.databases leaves this database out; see the server log.';
    elsif _s.next_due < clock_timestamp() - interval '10 s' then
        status := 'warn';
        seen := format('process %s is behind: something was due at %s', _s.ticker_pid, _s.next_due);
        hint := 'Look at the errors below, and at what locks tables of pgtq; if it moves without a pause, it has more to do than it can.';
    else
        status := 'ok';
        seen := format('process %s', _s.ticker_pid);
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_ticker() is 'Internal: a check of health(): does the ticker run and keep up';
