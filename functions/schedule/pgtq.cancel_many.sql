create or replace function pgtq.cancel_many(timer_ids bigint[])
returns bigint[]
as $$
-- Cancels many pending timers, in the order of their ids, so that two such calls do not
-- deadlock.  Returns the ids of those that were cancelled; see cancel().
begin
    return array(select t from (select distinct u.t from pg_catalog.unnest(timer_ids) u (t) order by 1) o where pgtq.cancel(o.t));
end;
$$ language plpgsql;

comment on function pgtq.cancel_many(bigint[]) is 'Cancel many pending timers; the ids of those that were cancelled';
