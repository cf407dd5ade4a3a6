--@pl
create or replace function pgtq._trigger_no_pkey()
returns void
as $$
-- The error of an UPDATE or DELETE whose row cannot be named.
begin
    raise exception 'Update/Delete on table without pkey'
        using errcode = 'object_not_in_prerequisite_state',
              hint = 'Give the table a primary key, or name the columns that tell rows apart with pkey=.';
end;
$$ language plpgsql stable;

comment on function pgtq._trigger_no_pkey() is 'Internal: refuse an UPDATE or DELETE without a primary key';
--@end
