create or replace function pgtq._take_timer(i_timer bigint)
returns pgtq.delay
as $$
-- Takes a pending timer out of the delay store: deletes its row and returns it; nulls if it
-- is not there.
--
-- A row that somebody else is moving, copying or cancelling is waited for, and if it is then
-- gone it is looked for again, as it may have been copied.  The same goes if the tables have
-- changed between listing them and looking into them.  An old snapshot (REPEATABLE READ)
-- cannot look again: PostgreSQL says so where it waited, we say so where a table was
-- truncated that it would have seen the row in.
declare
    _row        pgtq.delay;
    _sql        text;
    _sql_now    text := pgtq._ring_sql('pgtq.delay', 'select tableoid, ctid from %s where ev_timer = $1');
    _table      regclass;
    _tid        tid;
    _truncated  bigint;
begin
    loop
        _sql := _sql_now;
        _truncated := pg_sequence_last_value('pgtq.delay_truncated_seq');
        execute _sql into _table, _tid using i_timer;
        if _table is not null then
            execute format('delete from %s where ctid = $1 and ev_timer = $2 returning *', _table)
                into _row using _tid, i_timer;
            if _row.dl_due is not null then
                return _row;
            end if;
        elsif current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
            if (select max(gen_truncated) from pgtq.generation) < _truncated then
                raise exception 'could not serialize access due to concurrent update'
                    using errcode = 'serialization_failure';
            end if;
            return null;
        end if;
        _sql_now := pgtq._ring_sql('pgtq.delay', 'select tableoid, ctid from %s where ev_timer = $1');
        if _table is null and _sql_now = _sql
            and pg_sequence_last_value('pgtq.delay_truncated_seq') = _truncated
        then
            return null;
        end if;
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._take_timer(bigint) is 'Internal: take a pending timer out of the delay store';
