create or replace function pgtq._ticks(i_queue_id integer, i_from bigint, i_newest_first boolean, i_limit integer)
returns setof pgtq.tick
-- Up to i_limit ticks of a queue: from tick i_from on upwards, or with i_newest_first from
-- it downwards; i_from null starts at the end.
--
-- Every tick that is returned is safe from a crash.  The C body flushes the log up to its
-- commit if need be; the PL build only makes ticks that are flushed when they become
-- visible (see _append_tick).  Else a batch id could be handed out, be lost in a crash with
-- its tick, and be issued again for other events.
--@c
as 'MODULE_PATHNAME', 'pgtq_ticks' language c rows 1;
--@pl
as $$
declare
    _order  text := case when i_newest_first then 'desc' else 'asc' end;
    _where  text := case when i_from is null then 'true' when i_newest_first then 'tick_id <= $1' else 'tick_id >= $1' end;
    _query  text := format('select * from %%s where %s order by tick_id %s limit $2', _where, _order);
    _cur    text;
    _lowest bigint;
begin
    if i_queue_id is null or i_newest_first is null then
        raise exception 'queue id and order must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    -- the ticks of the current table are newer than all others: mostly they are enough
    select format('pgtq.tick_%s_%s', i_queue_id,
                  pg_sequence_last_value(pgtq.quote_fqname(queue_data_pfx || '_cur_seq')::regclass))
      into _cur from pgtq.queue where queue_id = i_queue_id;
    if not found then
        return;
    end if;
    execute format('select tick_id from %s order by tick_id limit 1', _cur) into _lowest;
    if i_from >= _lowest and (i_limit = 1 or not i_newest_first)
        or i_from is null and i_newest_first and i_limit = 1 and _lowest is not null
    then
        return query execute format(_query, _cur) using i_from, i_limit;
    else
        return query execute format('select * from (%s) t order by tick_id %s limit $2',
                                    pgtq._ring_sql('pgtq.tick_' || i_queue_id, '(' || _query || ')'), _order)
            using i_from, i_limit;
    end if;
end;
$$ language plpgsql rows 1;
--@end

comment on function pgtq._ticks(integer, bigint, boolean, integer) is 'Internal: ticks of a queue, in order';
