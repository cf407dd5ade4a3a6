create or replace function pgtq._check_timer_arguments(
    i_action text, i_at text, i_in text, i_when text, i_cancel_when text)
returns void
as $$
-- Refuses arguments of timertriga() that do not go together; null is one that is not given.
-- Its C body has the same check, and the same texts, in src/triggers/options.c.
begin
    if i_at is not null and i_in is not null then
        raise exception 'timer trigger has both at= and in='
            using errcode = 'invalid_parameter_value', hint = 'Give one of them: a time, or how long from now.';
    elsif (i_action is null) <> (i_at is null and i_in is null)
          or i_action is null and (i_cancel_when is null or i_when is not null) then
        raise exception 'timer trigger must have action= and one of at= and in='
            using errcode = 'invalid_parameter_value',
                  hint = 'A trigger that only cancels has none of them, and no when=, but cancel_when=.';
    end if;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_timer_arguments(text, text, text, text, text) is 'Internal: do the arguments of a timer trigger go together';
