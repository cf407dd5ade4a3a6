create or replace function pgtq.cancel_key(key text, queue text default 'timers')
returns boolean
as $$
-- Cancels the pending timer of a key.  Returns as cancel().
#variable_conflict use_variable
declare
    _done boolean;
begin
    insert into pgtq.request (op, queue, key) values ('cancel_key', queue, key) returning done into _done;
    return _done;
end;
$$ language plpgsql;

comment on function pgtq.cancel_key(text, text) is 'Cancel the pending timer of a key';
