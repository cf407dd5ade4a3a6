create or replace function pgtq.seq_getval(i_seq_name text)
returns bigint
as $$
-- Reads a sequence's last_value without changing it.
declare
    _value bigint;
begin
    execute 'select last_value from ' || pgtq.quote_fqname(i_seq_name) into _value;
    return _value;
end;
$$ language plpgsql strict set search_path = pg_catalog, pg_temp;

comment on function pgtq.seq_getval(text) is 'Read the last value of a sequence';
