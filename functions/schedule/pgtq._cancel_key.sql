create or replace function pgtq._cancel_key(i_role oid, i_queue text, i_key text)
returns boolean
as $$
-- Cancels the pending timer of a key for a role.  False if there is none.
declare
    _queue  integer;
    _id     bigint;
begin
    select queue_id into _queue from pgtq.queue where queue_name = i_queue;
    if not found or i_key is null then
        return false;
    end if;
    if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
        raise exception 'could not serialize access: a key needs the latest state'
            using errcode = 'serialization_failure',
                  detail = format('The transaction is %s.', upper(current_setting('transaction_isolation'))),
                  hint = 'Make calls with a key under READ COMMITTED.';
    end if;
    perform from pgtq.key_lock where kl_hash = hashtext(_queue || ':' || i_key) & 1023 for update;
    select k.ev_timer into _id from pgtq._keyed_timer(_queue, i_key) k;
    return _id is not null and pgtq._end_timer(i_role, _id, 3, null, null, null);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._cancel_key(oid, text, text) is 'Internal: cancel the pending timer of a key';
