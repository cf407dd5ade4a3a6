create or replace function pgtq._next_due()
returns timestamptz
-- When the next row of the delay store is due; null if there is none.  May be in the past.
--
-- As for _move_due(), what an earlier look has found dead is not walked again.  The C body
-- remembers, in a session that calls it again and again, as far as where it found the store
-- empty; the other starts where the mover is.
--@c
as 'MODULE_PATHNAME', 'pgtq_next_due' language c cost 100;
--@pl
as $$
declare
    _old    pgtq.position;
    _due    timestamptz;
begin
    select * into _old from pgtq.position where pos_sub = -1 order by pos_n desc limit 1;
    _old.pos_horizon := coalesce(_old.pos_horizon, '-infinity');
    select dl_due into _due from pgtq._due_rows(_old, pgtq._still_late(_old.pos_late, pgtq._now()), pgtq._now(), 1);
    if not found then
        execute 'select min(d) from (' || pgtq._ring_sql('pgtq.delay',
                    'select (select dl_due from %s where dl_due > $1 order by dl_due limit 1) as d') || ') m'
            into _due using _old.pos_horizon;
    end if;
    return nullif(_due, 'infinity');        -- so long waits what is paused
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;
--@end

comment on function pgtq._next_due() is 'Internal: when the next timer or retry is due';
