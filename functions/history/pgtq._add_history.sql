create or replace function pgtq._add_history(
    i_row pgtq.delay, i_status integer, i_started timestamptz, i_sqlstate text, i_error text)
returns void
as $$
-- Notes what became of a timer, as far as pgtq.history wants it: all, failures or
-- off.  Runs of schedules are noted with failures too, or nobody could count how many failed in a row.
--
-- Parameters: i_row is its row of the delay store; i_status: 1 fired, 2 failed, 3 cancelled,
-- 4 expired, 5 failed and will be tried again.
declare
    _wanted constant text := coalesce(nullif(current_setting('pgtq.history', true), ''), 'all');
begin
    if _wanted = 'off' or _wanted = 'failures' and i_status not in (2, 4, 5) and i_row.ev_schedule is null then
        return;
    end if;
    execute format('insert into %s (hi_timer, hi_status, hi_attempt, hi_queue, hi_role, hi_pid, hi_due, hi_created, hi_started, hi_finished,'
                   ' hi_sqlstate, hi_error, hi_key, hi_shard, hi_timeout, hi_attempts, hi_backoff, hi_action, hi_schedule)'
                   ' values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)',
                   pgtq._current_table('pgtq.history'))
        using i_row.ev_timer, i_status, coalesce(i_row.ev_retry, 0) + 1, i_row.dl_queue, i_row.ev_role, pg_backend_pid(),
              i_row.dl_due, i_row.ev_created, i_started, pgtq._now(), i_sqlstate, i_error,
              i_row.ev_key, i_row.ev_shard, i_row.ev_timeout, nullif(i_row.ev_attempts, 1), i_row.ev_backoff,
              case when i_row.ev_attempts is not null then i_row.ev_data end, i_row.ev_schedule;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._add_history(pgtq.delay, integer, timestamptz, text, text) is 'Internal: note what became of a timer';
