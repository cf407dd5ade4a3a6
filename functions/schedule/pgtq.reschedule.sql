create or replace function pgtq.reschedule(timer_id bigint, fire_at timestamptz)
returns boolean
as $$
-- Moves a pending timer of the calling role to another time.
--
-- Returns true, or false if it is not pending: it ran, is running, or never was.
declare
    _done boolean;
begin
    insert into pgtq.request (op, timer, at) values ('reschedule', timer_id, fire_at) returning done into _done;
    return _done;
end;
$$ language plpgsql;

comment on function pgtq.reschedule(bigint, timestamptz) is 'Move a pending timer to another time; false: it ran, is running, or never was';
