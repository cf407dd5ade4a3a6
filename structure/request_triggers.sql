-- structure/request_triggers.sql: the triggers of pgtq.request; they fire in the order of
-- their names.

create trigger a_who instead of insert on pgtq.request
    for each row execute function pgtq._request_who();
create trigger b_do instead of insert on pgtq.request
    for each row execute function pgtq._request_do();

create trigger a_who instead of insert on pgtq.plain_request
    for each row execute function pgtq._request_who();
create trigger b_do instead of insert on pgtq.plain_request
    for each row execute function pgtq._request_plain();

-- where triggers do not fire
alter view pgtq.request alter column role
    set default case when pg_catalog.current_setting('session_replication_role') = 'replica' then pgtq._refuse_replica() end;
alter view pgtq.plain_request alter column role
    set default case when pg_catalog.current_setting('session_replication_role') = 'replica' then pgtq._refuse_replica() end;
