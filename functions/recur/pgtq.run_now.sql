create or replace function pgtq.run_now(name text, owner text default null)
returns bigint
as $$
-- Runs a schedule of the calling role, or for pgtq_admin of another owner, now, besides the times that are planned.
-- One that is paused, or has had its last run, is run as well.
--
-- Returns the id of the timer, or job; null if a run is under way already, and they may not overlap.
#variable_conflict use_variable
declare
    _result bigint;
begin
    insert into pgtq.request (op, name, owner) values ('run_now', name, owner) returning timer into _result;
    return _result;
end;
$$ language plpgsql;

comment on function pgtq.run_now(text, text) is 'Run a schedule now, besides its planned times; the id of the timer, null if it runs already';
