create or replace function pgtq.seq_setval(i_seq_name text, i_new_value bigint)
returns bigint
as $$
-- Like setval(), but never goes back.  Returns the value that the sequence then has.
declare
    _value bigint := pgtq.seq_getval(i_seq_name);
begin
    if _value < i_new_value then
        _value := setval(pgtq.quote_fqname(i_seq_name)::regclass, i_new_value);
    end if;
    return _value;
end;
$$ language plpgsql strict set search_path = pg_catalog, pg_temp;

comment on function pgtq.seq_setval(text, bigint) is 'Set a sequence, never back';
