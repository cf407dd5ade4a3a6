create or replace function pgtq._cron_every(i_cron text)
returns interval
as $$
-- The interval of "@every 90s", or of pg_cron's "30 seconds"; null if it is a cron expression.
declare
    _text   text := substring(i_cron from '(?i)^\s*@every\s+(\S.*?)\s*$');
begin
    if _text is null then
        return substring(i_cron from '(?i)^\s*([1-9][0-9]?\s+seconds?)\s*$')::interval;
    end if;
    begin
        return pgtq._check_every(_text::interval);
    exception
        when invalid_datetime_format or datetime_field_overflow then
            raise exception 'invalid interval "%" in cron expression "%"', _text, i_cron
                using errcode = 'invalid_parameter_value', hint = 'An interval is, for instance, 90s, 1h 30m, or 2 days.';
    end;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp set intervalstyle = postgres;

comment on function pgtq._cron_every(text) is 'Internal: the interval of an @every';
