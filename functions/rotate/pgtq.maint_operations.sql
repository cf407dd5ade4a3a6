create or replace function pgtq.maint_operations(out func_name text, out func_arg text)
returns setof record
as $$
-- What the maintenance has to call now, each in a transaction of its own.  A function takes
-- func_arg, or nothing if that is null, and if it returns other than 0 it is to be called
-- again.  "vacuum" is the command of that name.
declare
    _rotations  bigint;
begin
    return query
        select 'pgtq.maint_rotate_tables_step1', queue_name from pgtq.queue
         where queue_switch_time + queue_rotation_period < clock_timestamp()
         order by queue_name;
    get diagnostics _rotations = row_count;
    if _rotations > 0
        or exists (select from pgtq.queue where queue_switch_step2 is null)
        or pgtq._positions_due()
        or cardinality(pgtq._uncopied_positions()) > 0
        or pgtq._history_due()
        or pgtq._done_due()
        or pgtq._delay_to_compact()
    then
        return query select 'pgtq.maint_rotate_tables_step2', null::text;
    end if;
    return query
        select f, queue_name from pgtq.queue, unnest(queue_extra_maint) with ordinality u (f, n)
         order by queue_name, n;
    return query
        select 'vacuum', t from pgtq.maint_tables_to_vacuum() t;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.maint_operations() is 'What the maintenance has to call now';
