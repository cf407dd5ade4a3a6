--@pl
create or replace function pgtq._trigger_condition(i_expression text, i_value text, i_type text)
returns boolean
as $$
-- The result of when=, which must be true or false.
begin
    if i_type <> 'boolean' then
        raise exception 'when= must be boolean, got %', i_type
            using errcode = 'datatype_mismatch', detail = format('Expression: %s', i_expression);
    elsif i_value is null then
        raise exception 'when= should not be NULL'
            using errcode = 'null_value_not_allowed', detail = format('Expression: %s', i_expression),
                  hint = 'Write coalesce(expression, false) to make no event where it is not known.';
    end if;
    return i_value::boolean;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_condition(text, text, text) is 'The result of a trigger''s when=';
--@end
