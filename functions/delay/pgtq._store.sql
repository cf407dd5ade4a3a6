create or replace function pgtq._store(i_row pgtq.delay)
returns void
as $$
-- Puts a row into the current generation of the delay store, under this transaction's id.
--
-- Lock, then check again, see _current_table(): the INSERT takes the lock, and then looks.  The generations that every
-- store has are written out, as a statement whose plan is kept takes a fifth of the time of one that is made up here.
declare
    _n      bigint;
    _count  bigint := 0;
begin
    i_row.ev_txid := pg_current_xact_id();
    while _count = 0 loop
        _n := pg_sequence_last_value('pgtq.delay_cur_seq');
        case _n
            when 0 then insert into pgtq.delay_0 select (i_row).* where pg_sequence_last_value('pgtq.delay_cur_seq') = 0;
            when 1 then insert into pgtq.delay_1 select (i_row).* where pg_sequence_last_value('pgtq.delay_cur_seq') = 1;
            when 2 then insert into pgtq.delay_2 select (i_row).* where pg_sequence_last_value('pgtq.delay_cur_seq') = 2;
            else execute format('insert into pgtq.%I select ($1).* where pg_sequence_last_value(''pgtq.delay_cur_seq'') = $2', 'delay_' || _n)
                using i_row, _n;
        end case;
        get diagnostics _count = row_count;
    end loop;
    perform pgtq._wake_at(i_row.dl_due);
end;
$$ language plpgsql;

comment on function pgtq._store(pgtq.delay) is 'Internal: put a row into the delay store';
