create or replace function pgtq.wait_batch(i_queue_name text, i_consumer_name text, i_timeout interval)
returns bigint
-- Waits until a consumer's next batch is there, and opens it, as next_batch() does.
--
-- Parameters: i_timeout is how long to wait at most; null is for ever.
-- Returns the batch's id, or null if none came in time.
--
-- A ticker that knows of a waiting consumer ticks the queue as soon as an event is
-- committed, whatever max_lag and max_count say.  Waiting locks nothing; but the statement
-- keeps its snapshot meanwhile, and so what VACUUM could remove elsewhere.  Wait for a
-- minute or so at a time.  Where there is no ticker the session looks by itself, ten times
-- a second.
--@c
as 'MODULE_PATHNAME', 'pgtq_wait_batch' language c;
--@pl
as $$
declare
    _until  constant timestamptz := clock_timestamp() + i_timeout;
    _batch  bigint;
begin
    perform pgtq._check_consumer_name(i_consumer_name);
    perform pgtq._require_read_committed('pgtq.wait_batch');
    loop
        -- look before locking: a consumer that waits locks nothing
        if pgtq._batch_is_there(i_queue_name, i_consumer_name) then
            _batch := pgtq.next_batch(i_queue_name, i_consumer_name);
        end if;
        if _batch is not null or clock_timestamp() >= _until then
            return _batch;
        end if;
        perform pg_sleep(least(0.1, extract(epoch from _until - clock_timestamp())));
    end loop;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;
--@end

comment on function pgtq.wait_batch(text, text, interval) is 'Wait for the next batch of a consumer and open it; its id, or null';
