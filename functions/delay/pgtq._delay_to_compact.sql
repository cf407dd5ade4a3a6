create or replace function pgtq._delay_to_compact()
returns boolean
as $$
-- Has _compact_delay() something to do?
begin
    return exists (select from pgtq.generation g where g.gen_state in ('draining', 'emptied') or pgtq._half_dead(g));
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq._delay_to_compact() is 'Internal: is there space of the delay store to give back';
