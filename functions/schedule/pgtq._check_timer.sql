create or replace function pgtq._check_timer(i_at timestamptz, i_is_action boolean, i_data text, i_keyed boolean, i_key text)
returns void
as $$
-- Checks what is particular to one timer.
begin
    if i_at is null then
        raise exception 'the time of a timer must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    if not isfinite(i_at) then
        raise exception 'the time of a timer must be finite'
            using errcode = 'invalid_parameter_value', hint = 'To keep something from ever running, do not schedule it.';
    end if;
    if i_is_action and i_data is null then
        raise exception 'the action of a timer must not be NULL'
            using errcode = 'null_value_not_allowed', hint = 'An action is SQL, such as: update t set x = 1';
    end if;
    -- its length first: btrim() takes eight times as much memory
    if i_is_action and octet_length(i_data) > 1048576 then
        raise exception 'the action of a timer is too long: % bytes', octet_length(i_data)
            using errcode = 'program_limit_exceeded', detail = 'The limit is 1048576 bytes.',
                  hint = 'Put the data into a table, or the code into a function.';
    end if;
    if i_is_action and btrim(i_data, E' \t\r\n') = '' then
        raise exception 'the action of a timer must not be empty'
            using errcode = 'invalid_parameter_value', hint = 'An action is SQL, such as: update t set x = 1';
    end if;
    if i_keyed and (i_key is null or length(i_key) not between 1 and 255) then
        raise exception 'the key of a timer must have 1 to 255 characters'
            using errcode = 'invalid_parameter_value';
    end if;
end;
$$ language plpgsql;

comment on function pgtq._check_timer(timestamptz, boolean, text, boolean, text) is 'Internal: check one timer';
