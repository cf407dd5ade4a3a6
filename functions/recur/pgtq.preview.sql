create or replace function pgtq.preview(
    in cron text, in timezone text default 'UTC', in n integer default 10, in after timestamptz default now(),
    out at timestamptz, out local_time timestamp, out shift text)
returns setof record
as $$
-- The next runs that a cron expression means, for looking at before it is scheduled.
--
-- Parameters: n is how many; after is from when on, that moment excluded.
-- Returns the moments, with what the clocks of the time zone show then; shift tells of those that a change of the
-- clocks has to do with: the planned time was skipped (it runs at the first moment after), or is
-- repeated (it runs the first time).
#variable_conflict use_variable
declare
    _every  constant interval := pgtq._cron_every(cron);
    _zone   constant text := pgtq._check_zone(timezone);
    _cron   pgtq.cron;
    _anchor constant timestamptz := after;
begin
    if n is null or after is null or not isfinite(after) then
        raise exception 'n and after must be given, and after be finite' using errcode = 'invalid_parameter_value';
    end if;
    if _every is null then
        _cron := pgtq._parse_cron(cron);
    end if;
    for _n in 1 .. n loop
        if _every is null then
            select c.at, c.shift into at, shift from pgtq._next_cron(_cron, _zone, after) c;
        else
            select e.at, e.shift into at, shift from pgtq._next_every(_every, _anchor, _zone, after) e;
        end if;
        exit when at is null;
        local_time := at at time zone _zone;
        after := at;
        return next;
    end loop;
end;
$$ language plpgsql stable security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.preview(text, text, integer, timestamptz) is 'The next runs that a cron expression means';
