create or replace function pgtq.unschedule(name text, owner text default null)
returns boolean
as $$
-- Ends a schedule of the calling role; pgtq_admin may end those of another owner.  Its pending runs are
-- cancelled; one that is under way is not stopped.
--
-- Returns true, or false if there is none of that name.
#variable_conflict use_variable
declare
    _result boolean;
begin
    insert into pgtq.request (op, name, owner) values ('unschedule', name, owner) returning done into _result;
    return _result;
end;
$$ language plpgsql;

comment on function pgtq.unschedule(text, text) is 'End a schedule; false if there is none of that name';
