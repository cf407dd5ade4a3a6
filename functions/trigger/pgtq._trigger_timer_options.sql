--@pl
create or replace function pgtq._trigger_timer_options(
    in i_args text[],
    out queue text,
    out key text,
    out fire_at text,
    out fire_in text,
    out action text,
    out condition text,
    out cancel_condition text)
as $$
-- Reads the arguments of timertriga().
--
-- Parameters: i_args is TG_ARGV, which counts from 0.
-- Returns what the arguments set, null where they are not given.  The C build does the same in
-- src/triggers/options.c.
declare
    _names  constant text[] := array['key', 'at', 'in', 'action', 'when', 'cancel_when'];
    _values text[] := array_fill(null::text, array[6]);
    _arg    text;
    _name   text;
    _value  text;
    _n      integer;
begin
    if i_args[0] is null then
        raise exception 'pgtq trigger must have destination queue as argument'
            using errcode = 'invalid_parameter_value',
                  hint = 'The first argument of the trigger function is the name of a queue.';
    end if;
    for _i in 1 .. array_upper(i_args, 1) loop
        _arg := i_args[_i];
        _name := split_part(_arg, '=', 1);
        _value := substr(_arg, length(_name) + 2);
        _n := array_position(_names, _name);
        if _n is null or _name = _arg then
            raise exception 'bad param to pgtq trigger'
                using errcode = 'invalid_parameter_value', detail = format('Argument: %s', _arg),
                      hint = 'Known are key=, at=, in=, action=, when=, cancel_when=.';
        elsif _values[_n] is not null then
            raise exception 'param to pgtq trigger given twice'
                using errcode = 'invalid_parameter_value', detail = format('Argument: %s', _arg),
                      hint = 'Give a list of columns or an expression once, with all that is in it.';
        elsif btrim(_value, e' \t\n\r\f\v') = '' then
            raise exception 'bad param to pgtq trigger'
                using errcode = 'invalid_parameter_value', detail = format('Argument: %s', _arg),
                      hint = 'After the equals sign comes an SQL expression.';
        end if;
        _values[_n] := _value;
    end loop;

    queue := i_args[0];
    key := _values[1];
    fire_at := _values[2];
    fire_in := _values[3];
    action := _values[4];
    condition := _values[5];
    cancel_condition := _values[6];
    perform pgtq._check_timer_arguments(action, fire_at, fire_in, condition, cancel_condition);
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_timer_options(text[]) is 'Internal: read the arguments of a timer trigger';
--@end
