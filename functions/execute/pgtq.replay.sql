create or replace function pgtq.replay(timer_id bigint)
returns bigint
as $$
-- Schedules a dead letter again, as a new timer of the same role that is due now and may be tried as
-- often as the old one might, with the same pauses.  For that role, and for pgtq_admin.
--
-- Returns the new timer's id; null if there is no such dead letter.
declare
    _id bigint;
begin
    insert into pgtq.request (op, timer) values ('replay', timer_id) returning timer into _id;
    return _id;
end;
$$ language plpgsql;

comment on function pgtq.replay(bigint) is 'Schedule a dead letter again; the id of the new timer, null if there is none';
