create or replace function pgtq._check_remote(i_role oid, i_remote text)
returns void
as $$
-- Checks where a job of a role is to be sent to: it exists, and the role may use it.  Early, for whoever submits;
-- what counts is the same check when it runs.
--
-- A connection string would make a connection as the server's own user, with its files; so it is for superusers.
declare
    _role   record;
    _server oid;
begin
    if octet_length(i_remote) not between 1 and 4096 then
        raise exception 'remote must have 1 to 4096 bytes' using errcode = 'invalid_parameter_value', hint = 'NULL means here.';
    end if;
    select rolname, rolsuper into _role from pg_roles where oid = i_role;
    if i_remote like '%=%' or i_remote like '%://%' then
        if not _role.rolsuper then
            raise exception 'only a superuser may give a connection string as remote' using errcode = 'insufficient_privilege',
                hint = 'Give the name of a foreign server, for which your role has a user mapping with a password.';
        end if;
    else
        select oid into _server from pg_foreign_server where srvname = i_remote;
        if not found then
            raise exception 'foreign server "%" does not exist', i_remote using errcode = 'undefined_object',
                hint = 'remote is the name of a foreign server, or a connection string.';
        elsif not has_server_privilege(i_role, _server, 'usage') then
            raise exception 'permission denied for foreign server "%"', i_remote using errcode = 'insufficient_privilege';
        elsif not exists (select from pg_user_mappings where srvid = _server and umuser in (i_role, 0)) then
            raise exception 'user mapping not found for "%", server "%"', _role.rolname, i_remote using errcode = 'undefined_object',
                hint = 'CREATE USER MAPPING makes one.';
        end if;
    end if;
    perform pgtq._check_connection(i_role, i_remote);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_remote(oid, text) is 'Internal: check where a job is to be sent to';
