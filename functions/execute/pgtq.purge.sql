create or replace function pgtq.purge(before timestamptz default 'infinity')
returns integer
as $$
-- Removes dead letters that failed before a time from the view dead_letters: the caller's own, or for
-- pgtq_admin everybody's.  In the history they stay as long as it is kept.
--
-- Returns how many.
#variable_conflict use_variable
declare
    _count integer;
begin
    insert into pgtq.request (op, at) values ('purge', before) returning count into _count;
    return _count;
end;
$$ language plpgsql;

comment on function pgtq.purge(timestamptz) is 'Remove dead letters that failed before a time; how many';
