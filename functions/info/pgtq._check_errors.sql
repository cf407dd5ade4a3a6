create or replace function pgtq._check_errors(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- What failed in a worker lately.  No row where no workers run.
declare
    _s  record;
begin
    name := 'errors';
    if not pgtq._workers_run() then
        return;
    end if;
    select * into _s from pgtq._ticker_state();
    if _s.last_error_time > clock_timestamp() - interval '10 min' then
        status := 'warn';
        seen := format('%s: %s', _s.last_error_time, _s.last_error);
        hint := 'See the server log.';
    else
        status := 'ok';
        seen := format('none in the last 10 minutes, %s in all', _s.errors);
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_errors() is 'Internal: a check of health(): errors of the workers';
