create or replace function pgtq._unregister_consumer(x_queue_name text, x_consumer_name text)
returns integer
as $$
-- Ends a consumer's registration.  Events that it wanted to see again go too.
--
-- Returns how many registrations were removed: 1, or 0 if there was none.
-- Writes: pgtq.subscriber, pgtq.consumer, the delay store, pgtq.carried.
declare
    _sub        integer;
    _consumer   integer;
begin
    select s.sub_id, s.sub_consumer into _sub, _consumer
      from pgtq.queue q
      join pgtq.subscriber s on s.sub_queue = q.queue_id
      join pgtq.consumer c on c.co_id = s.sub_consumer
     where q.queue_name = x_queue_name and c.co_name = x_consumer_name
       for update of s, c;
    if not found then
        return 0;
    end if;
    perform pgtq._forget_delayed('ev_owner', _sub);
    delete from pgtq.carried where ca_sub = _sub;
    delete from pgtq.subscriber where sub_id = _sub;
    delete from pgtq.consumer
     where co_id = _consumer
       and not exists (select from pgtq.subscriber where sub_consumer = _consumer);
    return 1;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._unregister_consumer(text, text) is 'Internal: end the registration of a consumer';
