create or replace function pgtq._near_xid8(i_xid text, i_near xid8)
returns bigint
as $$
-- The full number of a transaction id of 32 bits: that which is nearest to another, full one.  It may be
-- newer than that one: while we look at other sessions, they take new snapshots.
declare
    _near       constant bigint := i_near::text::bigint;
    _ahead      constant bigint := (i_xid::bigint - _near) & 4294967295;
begin
    return _near + case when _ahead < 2147483648 then _ahead else _ahead - 4294967296 end;
end;
$$ language plpgsql immutable strict set search_path = pg_catalog, pg_temp;

comment on function pgtq._near_xid8(text, xid8) is 'Internal: the full number of a transaction id of 32 bits';
