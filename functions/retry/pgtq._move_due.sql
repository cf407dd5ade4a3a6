create or replace function pgtq._move_due(in i_limit integer, out moved integer, out queue_ids integer[])
as $$
-- Puts what is due back into its queues, up to about i_limit entries.
--
-- Returns how many were moved, and into which queues, which are to be ticked in a following
-- transaction.
-- Writes: pgtq.retry_queue, event tables.
declare
    _id     integer;
    _count  integer;
begin
    moved := 0;
    queue_ids := '{}';
    for _id in select queue_id from pgtq.queue order by queue_id loop
        exit when moved >= i_limit;
        _count := pgtq._move_retries(_id);
        if _count > 0 then
            moved := moved + _count;
            queue_ids := queue_ids || _id;
        end if;
    end loop;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off;

comment on function pgtq._move_due(integer) is 'Internal: put what is due into its queues';
