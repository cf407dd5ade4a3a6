-- structure/request_triggers.sql: the triggers of pgtq.request; they fire in the order of
-- their names.

create trigger a_who instead of insert on pgtq.request
    for each row execute function pgtq._request_who();
create trigger b_do instead of insert on pgtq.request
    for each row execute function pgtq._request_do();

alter view pgtq.request alter column role set default pgtq._refuse_replica();
