create or replace function pgtq._append_tick(i_queue_id integer, i_prefix text, i_tick_id bigint, i_time timestamptz, i_event_seq bigint)
returns void
as $$
-- Writes a tick.  The caller holds the queue's ticker lock.  After commit, who waits for it
-- is woken; and if pgtq.notify_ticks is on, who listens on channel pgtq_tick is told the
-- queue's name.
--
-- The tick's snapshot is taken after the lock: so it is never older than the snapshot of
-- the tick before.
begin
--@pl
    -- a tick is seen only when it is safe on disk, see _ticks
    if current_setting('synchronous_commit') = 'off' then
        perform set_config('synchronous_commit', 'local', true);
    end if;
--@end
    execute format('insert into pgtq.%I (tick_queue, tick_id, tick_time, tick_snapshot, tick_event_seq)'
                   ' values ($1, $2, $3, pgtq._tick_snapshot(), $4)',
                   format('tick_%s_%s', i_queue_id, pg_sequence_last_value(pgtq.quote_fqname(i_prefix || '_cur_seq')::regclass)))
        using i_queue_id, i_tick_id, i_time, i_event_seq;
    perform pgtq._wake_waiters(i_queue_id);
    if nullif(current_setting('pgtq.notify_ticks', true), '')::boolean then
        perform pg_notify('pgtq_tick', queue_name) from pgtq.queue where queue_id = i_queue_id;
    end if;
end;
$$ language plpgsql;

comment on function pgtq._append_tick(integer, text, bigint, timestamptz, bigint) is 'Internal: write a tick';
