create or replace function pgtq._append_position(
    i_sub integer, i_n bigint, i_last_tick bigint, i_batch bigint, i_next_tick bigint)
returns void
as $$
-- Appends a subscriber's next position to the log.  The caller holds the subscriber's row
-- lock and has read the last position after getting it.
--
-- Parameters: i_n is the number of the last position plus 1.
--
-- Under READ COMMITTED i_n is right.  An older snapshot may have seen an old position; if
-- it sees that one in the current table, then all later numbers are in this table too, and
-- the primary key refuses a second i_n.  If it does not, nothing can be said.
declare
    _cur    bigint;
    _stale  boolean;
begin
    loop
        _cur := pg_sequence_last_value('pgtq.position_cur_seq');
        case _cur
            when 0 then lock table pgtq.position_0 in row exclusive mode;
            when 1 then lock table pgtq.position_1 in row exclusive mode;
            when 2 then lock table pgtq.position_2 in row exclusive mode;
        end case;
        exit when pg_sequence_last_value('pgtq.position_cur_seq') = _cur;
    end loop;

    _stale := i_n > 1
              and current_setting('transaction_isolation') in ('repeatable read', 'serializable')
              and not exists (select from pgtq.position
                               where pos_table = _cur and pos_sub = i_sub and pos_n = i_n - 1);
    if not _stale then
        case _cur
            when 0 then
                insert into pgtq.position_0 (pos_sub, pos_n, pos_last_tick, pos_batch, pos_next_tick)
                    values (i_sub, i_n, i_last_tick, i_batch, i_next_tick) on conflict do nothing;
            when 1 then
                insert into pgtq.position_1 (pos_sub, pos_n, pos_last_tick, pos_batch, pos_next_tick)
                    values (i_sub, i_n, i_last_tick, i_batch, i_next_tick) on conflict do nothing;
            when 2 then
                insert into pgtq.position_2 (pos_sub, pos_n, pos_last_tick, pos_batch, pos_next_tick)
                    values (i_sub, i_n, i_last_tick, i_batch, i_next_tick) on conflict do nothing;
        end case;
        _stale := not found;
    end if;
    if _stale then
        raise exception 'could not serialize access due to concurrent update'
            using errcode = 'serialization_failure';
    end if;
end;
$$ language plpgsql;

comment on function pgtq._append_position(integer, bigint, bigint, bigint, bigint) is 'Internal: append to the position log';
