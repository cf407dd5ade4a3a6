create or replace function pgtq.register_consumer(x_queue_name text, x_consumer_id text)
returns integer
as $$
-- Registers a consumer.  From now on it sees all events of the queue.
--
-- Returns 1, or 0 if it is registered already.
begin
    return pgtq.register_consumer_at(x_queue_name, x_consumer_id, null);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.register_consumer(text, text) is 'Register a consumer on a queue; 1, or 0 if it is registered';
