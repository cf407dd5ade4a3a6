--@pl
create or replace function pgtq._still_late(i_late bigint[], i_now timestamptz)
returns bigint[]
as $$
-- The late ones of the mover, see _move_due(), whose transactions still run; what is due later than now
-- is looked for anyway.
--
-- It is asked once in a move: one that ends between two answers would neither be looked for nor be late any more.
begin
    return coalesce((select array_agg(v order by l.l_from, l.l_xid, o)
                       from pgtq._late(i_late) l, unnest(array[l.l_xid, l.l_from, l.l_to]) with ordinality u (v, o)
                      where l.running and l.l_from <= extract(epoch from i_now) * 1000000), '{}');
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._still_late(bigint[], timestamptz) is 'Internal: the late ones of the mover that still are';
--@end
