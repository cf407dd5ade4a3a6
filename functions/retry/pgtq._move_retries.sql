create or replace function pgtq._move_retries(i_queue_id integer)
returns integer
as $$
-- Puts the events of one queue whose retry is due back into it, all in one statement.
--
-- Returns how many.
-- Writes: pgtq.retry_queue, the queue's current event table.  An id of the queue's sequence
-- is used up, which tells the ticker of new events.
declare
    _q      record;
    _count  integer;
begin
    if not exists (select from pgtq.retry_queue
                    where ev_queue = i_queue_id and ev_retry_after <= clock_timestamp())
    then
        return 0;
    end if;
    select queue_data_pfx, queue_event_seq into strict _q from pgtq.queue where queue_id = i_queue_id;
    execute format(
        'with due as (delete from pgtq.retry_queue where (ev_owner, ev_id) in ('
        '   select ev_owner, ev_id from pgtq.retry_queue'
        '    where ev_queue = $1 and ev_retry_after <= $2 for update skip locked)'
        ' returning ev_retry_after, ev_id, ev_time, ev_owner, ev_retry,'
        '   ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4)'
        ' insert into %s (ev_id, ev_time, ev_owner, ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4)'
        ' select ev_id, ev_time, ev_owner, ev_retry, ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4'
        ' from due order by ev_retry_after, ev_id', pgtq._current_table(_q.queue_data_pfx))
        using i_queue_id, clock_timestamp();
    get diagnostics _count = row_count;
    if _count > 0 then
        perform nextval(pgtq.quote_fqname(_q.queue_event_seq)::regclass);
    end if;
    return _count;
end;
$$ language plpgsql;

comment on function pgtq._move_retries(integer) is 'Internal: put due retries back into their queue';
