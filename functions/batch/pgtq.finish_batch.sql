create or replace function pgtq.finish_batch(x_batch_id bigint)
returns integer
-- Closes a batch: its consumer is done with it.
--
-- Returns 1; 0 and a warning if there is no such open batch.
-- Writes: the position log.
--@c
as 'MODULE_PATHNAME', 'pgtq_finish_batch' language c;
--@pl
as $$
declare
    _sub    integer;
    _p      pgtq.position;
begin
    -- no LIMIT: for one row of a table without statistics it would be planned as a scan
    select pos_sub into _sub from pgtq.position where pos_batch = x_batch_id;
    perform from pgtq.subscriber where sub_id = _sub for update;
    if found then
        select * into _p from pgtq.position where pos_sub = _sub order by pos_n desc limit 1;
    end if;
    if _p.pos_batch is distinct from x_batch_id or x_batch_id is null then
        -- an old snapshot does not see what has been copied in the log since
        if current_setting('transaction_isolation') in ('repeatable read', 'serializable')
            and not exists (select from pgtq.position
                             where pos_sub = 0 and pos_table = pg_sequence_last_value('pgtq.position_cur_seq'))
        then
            raise exception 'could not serialize access due to concurrent update'
                using errcode = 'serialization_failure';
        end if;
        raise warning 'finish_batch: batch % not found', x_batch_id;
        return 0;
    end if;
    perform pgtq._append_position(_sub, _p.pos_n + 1, _p.pos_next_tick, null, null);
    return 1;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;
--@end

comment on function pgtq.finish_batch(bigint) is 'Close a batch';
