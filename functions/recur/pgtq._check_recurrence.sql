create or replace function pgtq._check_recurrence(i_new pgtq.schedule)
returns void
as $$
-- Checks those options of a schedule that a single timer does not have.  Nothing that passes may make the
-- mover fail, for instance by a time out of range.
declare
    _bad    text;
begin
    _bad := case
        when i_new.sc_overlap in ('skip', 'queue', 'allow') is not true then 'overlap|Valid are "skip", "queue" and "allow".'
        when i_new.sc_catch_up in ('one', 'none', 'all') is not true then 'catch_up|Valid are "one", "none" and "all".'
        when i_new.sc_drift in ('planned', 'end') is not true then 'drift|Valid are "planned" and "end".'
        when i_new.sc_drift = 'end' and i_new.sc_overlap = 'allow' then 'overlap|With drift "end" runs cannot overlap.'
        when i_new.sc_window < '1 second' then 'catch_up_window|It must be at least 1 second.'
        when i_new.sc_window > '1000 years' then 'catch_up_window|It must not be longer than 1000 years.'
        when i_new.sc_window is not null and i_new.sc_catch_up = 'none' then 'catch_up_window|It goes with catch_up "one" or "all".'
        when i_new.sc_jitter < '0' or i_new.sc_jitter > '1 year' then 'jitter|It must be between 0 and 1 year.'
        when i_new.sc_max_runs < 1 then 'max_runs|It must be at least 1.'
        when not isfinite(i_new.sc_start) then 'start_at|It must be finite.'
        when i_new.sc_end < i_new.sc_start then 'end_at|It must not be before start_at.'
        end;
    if _bad is not null then
        raise exception 'invalid %', split_part(_bad, '|', 1)
            using errcode = 'invalid_parameter_value', hint = split_part(_bad, '|', 2);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_recurrence(pgtq.schedule) is 'Internal: check the options of a schedule';
