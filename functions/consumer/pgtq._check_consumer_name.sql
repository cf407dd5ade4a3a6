create or replace function pgtq._check_consumer_name(i_name text)
returns void
as $$
-- Refuses the name of the executor, for which only the server itself consumes.
begin
    if i_name = 'pgtq.executor' then
        raise exception 'consumer "%" is reserved', i_name
            using errcode = 'reserved_name', hint = 'See attach_executor() and detach_executor().';
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_consumer_name(text) is 'Internal: refuse the name of the executor';
