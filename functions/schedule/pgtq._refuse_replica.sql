create or replace function pgtq._refuse_replica()
returns oid
as $$
-- Refuses a request under session_replication_role = replica, as the default of its column "role": the triggers would
-- not fire, and what was asked for would silently not happen.
begin
    raise exception 'timers cannot be changed under session_replication_role = replica'
        using errcode = 'object_not_in_prerequisite_state',
              hint = 'What is replicated has its timers where it comes from; else SET session_replication_role = origin.';
end;
$$ language plpgsql;

comment on function pgtq._refuse_replica() is 'Internal: refuse to change timers where triggers do not fire';
