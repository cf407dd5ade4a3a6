create or replace function pgtq._cron_day_item(inout io_cron pgtq.cron, in i_item text, in i_is_weekday boolean, out error text)
as $$
-- Adds one item of a day field to a cron expression: in days of the month L and $ (the last), L-3,
-- 15W (the working day nearest to the 15th) and LW; in days of the week 5L (the last Friday) and 5#2
-- (the second); all with names too.  Everything else is as in other fields.
declare
    _names  constant text[] := array['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
    _part   text[];
    _day    bigint;
    _set    bigint;
begin
    if not i_is_weekday then
        _part := regexp_match(i_item, '^(?:(L|\$)(?:-([0-9]{1,2}))?|([0-9]{1,2}|L)W)$', 'i');
        if _part is null then
            select numbers, i.error into _set, error from pgtq._cron_item(i_item, 1, 31, null) i;
            io_cron.days := io_cron.days | _set;
        elsif _part[3] is not null and upper(_part[3]) = 'L' then
            io_cron.workdays := io_cron.workdays | 1;
        elsif coalesce(_part[2], '0')::integer > 30 then
            error := format('%s is not between 0 and 30', _part[2]);
        elsif _part[1] is not null then
            io_cron.from_end := io_cron.from_end | (1::bigint << coalesce(_part[2], '0')::integer);
        elsif _part[3]::integer not between 1 and 31 then
            error := format('%s is not between 1 and 31', _part[3]);
        else
            io_cron.workdays := io_cron.workdays | (1::bigint << _part[3]::integer);
        end if;
        return;
    end if;
    _part := regexp_match(i_item, '^([0-9]+|[a-z]{3})(?:(L)|#([0-9]+))$', 'i');
    if _part is null then
        if i_item ~* '^L$' then
            error := 'L needs a day before it, as in 5L, the last Friday';
            return;
        end if;
        select numbers, i.error into _set, error from pgtq._cron_item(i_item, 0, 7, _names) i;
        io_cron.weekdays := io_cron.weekdays | (_set & 127) | (_set >> 7);
        return;
    end if;
    select i.numbers, i.error into _set, error from pgtq._cron_item(_part[1], 0, 7, _names) i;
    if error is not null then
        return;
    end if;
    if length(_part[3]) > 1 or _part[3] not between '1' and '5' then
        error := format('%s is not between 1 and 5', _part[3]);
        return;
    end if;
    _set := (_set & 127) | (_set >> 7);
    _day := round(ln(_set::float8) / ln(2::float8));
    io_cron.nth := io_cron.nth | (1::bigint << (7 * coalesce(_part[3], '0')::integer + _day)::integer);
end;
$$ language plpgsql immutable set search_path = pg_catalog, pg_temp;

comment on function pgtq._cron_day_item(pgtq.cron, text, boolean) is 'Internal: one item of a day field of a cron expression';
