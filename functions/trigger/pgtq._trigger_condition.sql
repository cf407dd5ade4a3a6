--@pl
create or replace function pgtq._trigger_condition(i_name text, i_expression text, i_value text, i_type text)
returns boolean
as $$
-- The result of when= or cancel_when=, which must be true or false.
--
-- Parameters: i_name is the argument, i_expression its SQL, i_value and i_type the result as text.
begin
    if i_type <> 'boolean' then
        raise exception '%= must be boolean, got %', i_name, i_type
            using errcode = 'datatype_mismatch', detail = format('Expression: %s', i_expression);
    elsif i_value is null then
        raise exception '%= should not be NULL', i_name
            using errcode = 'null_value_not_allowed', detail = format('Expression: %s', i_expression),
                  hint = 'Write coalesce(expression, false) to do nothing where it is not known.';
    end if;
    return i_value::boolean;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_condition(text, text, text, text) is 'Internal: the result of a trigger''s condition';
--@end
