create or replace function pgtq._half_dead(i_gen pgtq.generation)
returns boolean
as $$
-- Is it worth to copy what is alive in a generation of the delay store, and to truncate it?
-- Yes if it is larger than 8 MB and less than half of it is alive.
--
-- While an old snapshot keeps emptied generations from being truncated, more of them gain
-- nothing, and every look has to go into each.  So then it also has to be as large as all of them
-- together: their number grows with the logarithm of what has passed through.
declare
    _table  constant regclass := format('pgtq.delay_%s', i_gen.gen_n);
begin
    return i_gen.gen_state = 'open'
       and pg_relation_size(_table) > 8 * 1024 * 1024
       and pg_relation_size(_table) >= (select coalesce(sum(pg_relation_size(format('pgtq.delay_%s', gen_n)::regclass)), 0)
                                          from pgtq.generation where gen_state = 'emptied')
       and pgtq._live_share(_table) < 0.45;     -- of 0.9 or so: pages are never quite full
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._half_dead(pgtq.generation) is 'Internal: is most of a generation of the delay store dead';
