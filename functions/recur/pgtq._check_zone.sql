create or replace function pgtq._check_zone(i_zone text)
returns text
as $$
-- Checks the name of a time zone, and returns it.  PostgreSQL also takes rules such as XYZ-1 for one, of which there
-- is no end, and a session remembers each that it has seen; so what has a digit in it, as rules have, must be
-- in the list of names, which takes long to read.
begin
    if i_zone is null then
        raise exception 'timezone must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    begin
        if i_zone ~ '[0-9]' and not exists (select from pg_timezone_names where lower(name) = lower(i_zone)) then
            raise invalid_parameter_value;
        end if;
        perform now() at time zone i_zone;
    exception
        when invalid_parameter_value then
            raise exception 'time zone "%" does not exist', left(i_zone, 100)
                using errcode = 'invalid_parameter_value', hint = 'Names are in pg_timezone_names, such as Europe/Paris.';
    end;
    return i_zone;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_zone(text) is 'Internal: check the name of a time zone';
