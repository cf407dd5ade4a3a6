--@pl
create or replace function pgtq._trigger_timer_null(i_name text, i_expression text, i_is_null boolean)
returns void
as $$
-- Refuses null as the result of key=, at=, in= or action=.
begin
    if i_is_null then
        raise exception '%= should not be NULL', i_name
            using errcode = 'null_value_not_allowed', detail = format('Expression: %s', i_expression),
                  hint = case i_name
                      when 'key' then 'Columns without new and old before them are known to INSERT, UPDATE and DELETE.'
                      else 'Say with when= which rows have a timer.' end;
    end if;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_timer_null(text, text, boolean) is 'Internal: refuse a timer trigger''s expression that is null';
--@end
