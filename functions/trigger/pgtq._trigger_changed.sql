--@pl
create or replace function pgtq._trigger_changed(i_type oid, i_label text)
returns text
as $$
-- SQL that tells whether an UPDATE has changed a column, from _o to _r.
--
-- "<>" of records is that of the column's type, wherever its operators are; see
-- _compared_as_text() for the types that have none.
declare
    _row constant text := '(row(%1$s)::pg_catalog.record operator(pg_catalog.<>) row(%2$s)::pg_catalog.record)';
begin
    if i_type in ('integer'::regtype, 'bigint'::regtype, 'text'::regtype, 'uuid'::regtype)
       or not pgtq._compared_as_text(i_type, false) then
        return format(_row, '_o.' || i_label, '_r.' || i_label);
    end if;
    return format(_row, pgtq._trigger_value('text', i_type, '_o.' || i_label, null) || ' collate pg_catalog."C"',
                        pgtq._trigger_value('text', i_type, '_r.' || i_label, null) || ' collate pg_catalog."C"');
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_changed(oid, text) is 'Internal: SQL that tells whether a column has changed';
--@end
