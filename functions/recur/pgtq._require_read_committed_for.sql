create or replace function pgtq._require_read_committed_for(i_what text)
returns void
as $$
-- Refuses to look for something with an old snapshot.
begin
    if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
        raise exception 'could not serialize access: % needs the latest state', i_what
            using errcode = 'serialization_failure',
                  detail = format('The transaction is %s.', upper(current_setting('transaction_isolation'))),
                  hint = format('Make calls with %s under READ COMMITTED.', i_what);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._require_read_committed_for(text) is 'Internal: refuse to look for something with an old snapshot';
