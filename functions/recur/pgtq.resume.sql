create or replace function pgtq.resume(name text, owner text default null)
returns boolean
as $$
-- Resumes a schedule that was paused.  Times that have passed meanwhile are not caught up with.
--
-- Returns true, or false if it was not paused.
#variable_conflict use_variable
declare
    _result boolean;
begin
    insert into pgtq.request (op, name, owner) values ('resume', name, owner) returning done into _result;
    return _result;
end;
$$ language plpgsql;

comment on function pgtq.resume(text, text) is 'Let runs of a paused schedule begin again';
