create or replace function pgtq.pause(name text, owner text default null)
returns boolean
as $$
-- Pauses a schedule of the calling role, or for pgtq_admin of another owner: no run begins until resume().
--
-- Returns true, or false if it was paused already.
#variable_conflict use_variable
declare
    _result boolean;
begin
    insert into pgtq.request (op, name, owner) values ('pause', name, owner) returning done into _result;
    return _result;
end;
$$ language plpgsql;

comment on function pgtq.pause(text, text) is 'Let no run of a schedule begin until resume()';
