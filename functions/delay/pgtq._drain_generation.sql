create or replace function pgtq._drain_generation(i_gen pgtq.generation)
returns integer
as $$
-- Copies some of the live rows of a generation to one of the next level.  Returns 1 if there
-- is more to do at once, else 0.
--
-- Goes through the table block by block; rows that somebody has locked are left behind.  A copy
-- has our transaction's id, so that the mover, if it looks while we copy, finds it
-- afterwards.
declare
    _table      text := format('pgtq.delay_%s', i_gen.gen_n);
    _blocks     bigint := pg_relation_size(_table::regclass) / current_setting('block_size')::bigint;
    _target     integer;
    _copied     bigint := 0;
    _count      bigint;
begin
    if i_gen.gen_block >= _blocks then
        return pgtq._close_generation(i_gen);
    end if;
    _target := pgtq._free_generation(least(i_gen.gen_level + 1, 20));
    if _target is null then
        return 1;
    end if;
    while _copied < 5000 and i_gen.gen_block < _blocks loop
        execute format(
            'with locked as materialized (select ctid as tid from %1$s where ctid >= %2$L and ctid < %3$L for update skip locked),'
            ' gone as (delete from %1$s where ctid = any (array(select tid from locked)) returning *)'
            ' insert into pgtq.delay_%4$s select ev_id, ev_time, pg_current_xact_id(), ev_owner, ev_retry, ev_type, ev_data,'
            ' ev_extra1, ev_extra2, ev_extra3, ev_extra4, ev_timer, ev_role, ev_created, ev_attempts, ev_timeout, ev_backoff,'
            ' ev_expires, ev_shard, ev_key, ev_schedule, ev_run, dl_queue, dl_due from gone',
            _table, format('(%s,0)', i_gen.gen_block), format('(%s,0)', i_gen.gen_block + 100), _target);
        get diagnostics _count = row_count;
        _copied := _copied + _count;
        i_gen.gen_block := i_gen.gen_block + 100;
    end loop;
    update pgtq.generation set gen_block = i_gen.gen_block, gen_copied = gen_copied + _copied where gen_n = i_gen.gen_n;
    return 1;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._drain_generation(pgtq.generation) is 'Internal: copy live rows out of a generation of the delay store';
