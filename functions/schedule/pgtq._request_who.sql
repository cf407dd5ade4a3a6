create or replace function pgtq._request_who()
returns trigger
as $$
-- Trigger of pgtq.request: notes who asks.  Runs as the caller and must never be SECURITY
-- DEFINER.  Every name is qualified: the search_path is the caller's.
begin
    new.role := pg_catalog.to_regrole(pg_catalog.quote_ident(current_user))::pg_catalog.oid;
    return new;
end;
$$ language plpgsql;

comment on function pgtq._request_who() is 'Internal: trigger that notes who asks';
