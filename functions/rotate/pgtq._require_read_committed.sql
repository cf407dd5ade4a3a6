create or replace function pgtq._require_read_committed(i_function text)
returns void
as $$
-- Refuses to go on under an old snapshot.  Truncating is decided by looking into a table
-- after having locked it; a REPEATABLE READ transaction looks with a snapshot from before
-- the lock, sees an empty table, and would destroy what it does not see.
begin
    if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
        raise exception '% must run under READ COMMITTED', i_function
            using errcode = 'invalid_transaction_state',
                  detail = format('The transaction is %s.', upper(current_setting('transaction_isolation'))),
                  hint = case current_setting('default_transaction_isolation')
                             when 'read committed' then 'Call it in a transaction of its own.'
                             else 'Its role or session needs default_transaction_isolation = ''read committed''.' end;
    end if;
end;
$$ language plpgsql;

comment on function pgtq._require_read_committed(text) is 'Internal: refuse an isolation level other than READ COMMITTED';
