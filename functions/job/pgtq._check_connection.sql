create or replace function pgtq._check_connection(i_role oid, i_remote text)
returns void
-- Checks the options of a connection as it will be made for a job of a role; see src/remote/options.c.
--@c
as 'MODULE_PATHNAME', 'pgtq_check_connection' language c;
--@pl
as $$
begin
    raise exception 'a remote job needs the background workers of the C build' using errcode = 'feature_not_supported',
        hint = 'A job may use dblink or postgres_fdw in its SQL.';
end;
$$ language plpgsql;
--@end

comment on function pgtq._check_connection(oid, text) is 'Internal: check the options of a connection for a job';
