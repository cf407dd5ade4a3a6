--@pl
create or replace function pgtq._trigger_options(
    in i_args text[],
    out queue text,
    out skip boolean,
    out backup boolean,
    out deny boolean,
    out ignore text,
    out pkey text,
    out condition text,
    out fields text[])
as $$
-- Reads the arguments of a trigger.
--
-- Parameters: i_args is TG_ARGV, which counts from 0.
-- Returns what the arguments set; fields has the expressions for ev_type, ev_data, ev_extra1
-- to ev_extra4, null where there is none.  The C build does the same in src/triggers/options.c.
declare
    _names  constant text[] := array['ev_type', 'ev_data', 'ev_extra1', 'ev_extra2', 'ev_extra3', 'ev_extra4'];
    _arg    text;
    _key    text;
    _value  text;
    _before text;
    _n      integer;
begin
    if i_args[0] is null then
        raise exception 'pgtq trigger must have destination queue as argument'
            using errcode = 'invalid_parameter_value',
                  hint = 'The first argument of the trigger function is the name of a queue.';
    end if;
    queue := i_args[0];
    skip := false;
    backup := false;
    deny := false;
    fields := array_fill(null::text, array[6]);

    for _i in 1 .. array_upper(i_args, 1) loop
        _arg := i_args[_i];
        _key := split_part(_arg, '=', 1);
        _value := substr(_arg, length(_key) + 2);
        _n := array_position(_names, _key);
        if _arg in ('SKIP', 'skip') then
            skip := true;
        elsif _arg = 'backup' then
            backup := true;
        elsif _arg = 'deny' then
            deny := true;
        elsif _key = _arg or not (_key in ('ignore', 'pkey', 'when') or _n is not null) then
            raise exception 'bad param to pgtq trigger'
                using errcode = 'invalid_parameter_value', detail = format('Argument: %s', _arg),
                      hint = 'Known are SKIP, backup, deny, ignore=, pkey=, when=, ev_type=, ev_data=, ev_extra1= to ev_extra4=.';
        else
            _before := case _key when 'ignore' then ignore when 'pkey' then pkey when 'when' then condition
                                 else fields[_n] end;
            if _before is not null then
                raise exception 'param to pgtq trigger given twice'
                    using errcode = 'invalid_parameter_value', detail = format('Argument: %s', _arg),
                          hint = 'Give a list of columns or an expression once, with all that is in it.';
            elsif _key not in ('ignore', 'pkey') and btrim(_value, e' \t\n\r\f\v') = '' then
                raise exception 'bad param to pgtq trigger'
                    using errcode = 'invalid_parameter_value', detail = format('Argument: %s', _arg),
                          hint = 'After the equals sign comes an SQL expression.';
            elsif _key = 'ignore' then
                ignore := _value;
            elsif _key = 'pkey' then
                pkey := _value;
            elsif _key = 'when' then
                condition := _value;
            else
                fields[_n] := _value;
            end if;
        end if;
    end loop;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_options(text[]) is 'Internal: read the arguments of a trigger';
--@end
