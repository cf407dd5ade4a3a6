create or replace function pgtq._loop_tick(in i_moved integer[], out next_due timestamptz)
as $$
-- For ticker_loop(): ticks the queues of i_moved at once, and the others by the rule of _tick().  A queue
-- that cannot be ticked does not keep the others from it.
--
-- Returns when the next timer or retry is due.
declare
    _queue  record;
begin
    for _queue in
        select queue_id, queue_name from pgtq.queue where not queue_external_ticker and not queue_ticker_paused order by queue_id
    loop
        begin
            perform pgtq._tick(_queue.queue_id, coalesce(_queue.queue_id = any (i_moved), false));
        exception
            when others then
                raise warning 'no tick for queue "%": %', _queue.queue_name, sqlerrm using errcode = sqlstate;
        end;
    end loop;
    next_due := pgtq._next_due();
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off set lock_timeout = '1s';

comment on function pgtq._loop_tick(integer[]) is 'Internal: tick the queues that need it, for ticker_loop()';
