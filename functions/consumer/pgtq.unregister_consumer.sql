create or replace function pgtq.unregister_consumer(x_queue_name text, x_consumer_name text)
returns integer
as $$
-- Ends a consumer's registration; see _unregister_consumer().
begin
    perform pgtq._check_consumer_name(x_consumer_name);
    return pgtq._unregister_consumer(x_queue_name, x_consumer_name);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.unregister_consumer(text, text) is 'End the registration of a consumer on a queue';
