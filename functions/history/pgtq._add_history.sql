create or replace function pgtq._add_history(
    i_row pgtq.delay, i_status integer, i_started timestamptz, i_sqlstate text, i_error text)
returns void
as $$
-- Notes what became of a timer, as far as pgtq.history wants it: all, failures or
-- off.  Runs of schedules are noted with failures too, or nobody could count how many failed in a row.
--
-- Parameters: i_row is its row of the delay store; i_status: 1 fired, 2 failed, 3 cancelled,
-- 4 expired, 5 failed and will be tried again.
--
-- Lock, then check again, see _store().
declare
    _wanted constant text := coalesce(nullif(current_setting('pgtq.history', true), ''), 'all');
    _h      pgtq.history_0;
    _count  bigint := 0;
begin
    if _wanted = 'off' or _wanted = 'failures' and i_status not in (2, 4, 5) and i_row.ev_schedule is null then
        return;
    end if;
    _h.hi_timer := i_row.ev_timer;
    _h.hi_status := i_status;
    _h.hi_attempt := coalesce(i_row.ev_retry, 0) + 1;
    _h.hi_queue := i_row.dl_queue;
    _h.hi_role := i_row.ev_role;
    _h.hi_pid := pg_backend_pid();
    _h.hi_due := i_row.dl_due;
    _h.hi_created := i_row.ev_created;
    _h.hi_started := i_started;
    _h.hi_finished := pgtq._now();
    _h.hi_sqlstate := i_sqlstate;
    _h.hi_error := i_error;
    _h.hi_key := i_row.ev_key;
    _h.hi_shard := i_row.ev_shard;
    _h.hi_timeout := i_row.ev_timeout;
    _h.hi_attempts := nullif(i_row.ev_attempts, 1);
    _h.hi_backoff := i_row.ev_backoff;
    _h.hi_action := case when i_row.ev_attempts is not null then i_row.ev_data end;
    _h.hi_schedule := i_row.ev_schedule;
    while _count = 0 loop
        case pg_sequence_last_value('pgtq.history_cur_seq')
            when 0 then insert into pgtq.history_0 select (_h).* where pg_sequence_last_value('pgtq.history_cur_seq') = 0;
            when 1 then insert into pgtq.history_1 select (_h).* where pg_sequence_last_value('pgtq.history_cur_seq') = 1;
            when 2 then insert into pgtq.history_2 select (_h).* where pg_sequence_last_value('pgtq.history_cur_seq') = 2;
        end case;
        get diagnostics _count = row_count;
    end loop;
end;
$$ language plpgsql;

comment on function pgtq._add_history(pgtq.delay, integer, timestamptz, text, text) is 'Internal: note what became of a timer';
