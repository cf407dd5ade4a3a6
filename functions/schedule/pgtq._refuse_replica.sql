create or replace function pgtq._refuse_replica()
returns oid
as $$
-- Takes part in each request, as the default of its column "role", and refuses it under session_replication_role =
-- replica: the triggers of pgtq.request would not fire, and what was asked for would silently not happen.
begin
    if pg_catalog.current_setting('session_replication_role') operator(pg_catalog.=) 'replica' then
        raise exception 'timers cannot be changed under session_replication_role = replica'
            using errcode = 'object_not_in_prerequisite_state',
                  hint = 'What is replicated has its timers where it comes from; else SET session_replication_role = origin.';
    end if;
    return null;
end;
$$ language plpgsql;

comment on function pgtq._refuse_replica() is 'Internal: refuse to change timers where triggers do not fire';
