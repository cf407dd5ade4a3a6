create or replace function pgtq._check_every(i_every interval)
returns interval
as $$
-- Checks how often something is to be run, and returns it.  No unit of it may be negative, or the runs
-- would not be in order.
begin
    if i_every is null then
        raise exception 'every must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    if i_every < '100 milliseconds' or extract(month from i_every) < 0 or extract(year from i_every) < 0
        or extract(day from i_every) < 0 or i_every - date_trunc('day', i_every) < '0'
    then
        raise exception 'invalid interval between runs: %', i_every
            using errcode = 'invalid_parameter_value', hint = 'It must be at least 100 milliseconds, and no part of it negative.';
    end if;
    if i_every > '1000 years' then
        raise exception 'invalid interval between runs: %', i_every
            using errcode = 'invalid_parameter_value', hint = 'It must not be longer than 1000 years.';
    end if;
    return i_every;
end;
$$ language plpgsql immutable set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_every(interval) is 'Internal: check how often something is to be run';
