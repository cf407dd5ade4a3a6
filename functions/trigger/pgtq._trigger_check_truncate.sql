--@pl
create or replace function pgtq._trigger_check_truncate(
    i_ignore text, i_pkey text, i_backup boolean, i_condition text, i_fields text[])
returns void
as $$
-- Refuses arguments that speak of rows in a trigger for TRUNCATE, which has none.
declare
    _what text;
begin
    _what := case when i_condition is not null or array_remove(i_fields, null) <> '{}' then 'Custom expressions do'
                  when i_ignore is not null then 'Column ignore does'
                  when i_pkey is not null then 'Custom pkey_list does'
                  when i_backup then 'Backup does' end;
    if _what is not null then
        raise exception '% not make sense for truncate trigger', _what
            using errcode = 'trigger_protocol_violated',
                  hint = 'TRUNCATE has no rows: make it a trigger of its own, without this argument.';
    end if;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_check_truncate(text, text, boolean, text, text[]) is 'Internal: refuse arguments that TRUNCATE cannot have';
--@end
