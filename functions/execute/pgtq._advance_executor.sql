create or replace function pgtq._advance_executor(i_sub integer)
returns void
as $$
-- Moves the position of the executor in a queue on, as far as everything is done; for run_due().
-- If somebody else is doing that just now, that will do.
--
-- Writes: the position log.
declare
    _q      pgtq.queue;
    _p      pgtq.position;
    _tick   bigint;
    _next   bigint;
    _newest bigint;
begin
    perform from pgtq.subscriber where sub_id = i_sub for update skip locked;
    if not found then
        return;
    end if;
    select * into strict _q from pgtq.queue where queue_executor = i_sub;
    select * into _p from pgtq.position where pos_sub = i_sub order by pos_n desc limit 1;
    _tick := _p.pos_last_tick;
    select t.tick_id into _newest from pgtq._ticks(_q.queue_id, null, true, 1) t;
    -- mostly all is done, or the next tick is not; each look reads all from the position on
    for _next in select t.tick_id from pgtq._ticks(_q.queue_id, _tick + 1, false, 1000) t loop
        exit when exists (select from pgtq._undone(i_sub, _q.queue_id, _q.queue_data_pfx, _p.pos_last_tick, _next, null, 1));
        if _tick = _p.pos_last_tick
            and not exists (select from pgtq._undone(i_sub, _q.queue_id, _q.queue_data_pfx, _p.pos_last_tick, _newest, null, 1))
        then
            _tick := _newest;
            exit;
        end if;
        _tick := _next;
    end loop;
    if _tick > _p.pos_last_tick then
        perform pgtq._append_position(i_sub, _p.pos_n + 1, _tick, null, null);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._advance_executor(integer) is 'Internal: move the position of the executor on';
