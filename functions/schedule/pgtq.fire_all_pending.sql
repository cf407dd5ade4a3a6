create or replace function pgtq.fire_all_pending(queue text default 'timers')
returns integer
as $$
-- Runs all pending timers of the caller in a queue now, whenever they are due, in the order of
-- their times; see fire().
--
-- Returns how many were run, failed ones included.
#variable_conflict use_variable
declare
    _id     bigint;
    _count  integer := 0;
begin
    for _id in
        select t.id from pgtq.timers t
         where t.queue operator(pg_catalog.=) queue and t.state operator(pg_catalog.=) 'pending'
           and t.scheduled_by operator(pg_catalog.=) current_user and t.action is not null
           and not exists (select from pgtq.schedules s where s.next_timer operator(pg_catalog.=) t.id and s.job)
         order by t.fire_at, t.id
    loop
        if pgtq.fire(_id) is not null then
            _count := _count operator(pg_catalog.+) 1;
        end if;
    end loop;
    return _count;
end;
$$ language plpgsql;

comment on function pgtq.fire_all_pending(text) is 'Run all pending timers of the caller in a queue now, for tests; how many';
