create or replace function pgtq._half_dead(i_gen pgtq.generation)
returns boolean
as $$
-- Is it worth to copy what is alive in a generation of the delay store, and to truncate it?
-- Yes if it is larger than 1 MB and less than half of it is alive.
declare
    _table  constant regclass := format('pgtq.delay_%s', i_gen.gen_n);
begin
    return i_gen.gen_state = 'open'
       and pg_relation_size(_table) > 1024 * 1024
       and pgtq._live_share(_table) < 0.45;     -- of 0.9 or so: pages are never quite full
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._half_dead(pgtq.generation) is 'Internal: is most of a generation of the delay store dead';
