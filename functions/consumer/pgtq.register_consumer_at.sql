create or replace function pgtq.register_consumer_at(x_queue_name text, x_consumer_name text, x_tick_pos bigint)
returns integer
as $$
-- Registers a consumer, or moves one, to a tick; see _register_consumer().  The executor is
-- a consumer too, but not one that anybody can be.
begin
    perform pgtq._check_consumer_name(x_consumer_name);
    return pgtq._register_consumer(x_queue_name, x_consumer_name, x_tick_pos);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.register_consumer_at(text, text, bigint) is 'Register a consumer at a tick, or move it there';
