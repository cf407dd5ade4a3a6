create or replace function pgtq._loop_move()
returns integer[]
as $$
-- For ticker_loop(): moves what is due into the queues.  Returns the queues that got some; those are to
-- be ticked in a following transaction.  Not too many at once: who runs a backlog reads all that came with a tick.
begin
    perform pgtq._note_recovery();
    return (select queue_ids from pgtq._move_due(2000));
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s';

comment on function pgtq._loop_move() is 'Internal: move what is due, for ticker_loop()';
