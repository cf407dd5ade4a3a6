create or replace function pgtq._add_table(i_queue_name text)
returns boolean
as $$
-- Adds a table to the ring of a queue, because none of the others can be had now.  False if
-- that cannot be done either, because a ticker's transaction is open.
declare
    _q pgtq.queue;
begin
    begin
        perform pgtq._lock_ticker(queue_data_pfx) from pgtq.queue where queue_name = i_queue_name;
    exception
        when lock_not_available then
            return false;
    end;
    update pgtq.queue set queue_ntables = queue_ntables + 1
     where queue_name = i_queue_name
     returning * into strict _q;
    perform pgtq._create_ring_table(_q.queue_id, _q.queue_data_pfx, _q.queue_event_seq, _q.queue_ntables - 1);
    perform pgtq.grant_perms(i_queue_name);
    return true;
end;
$$ language plpgsql;

comment on function pgtq._add_table(text) is 'Internal: add a table to the ring of a queue';
