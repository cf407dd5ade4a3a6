create or replace function pgtq._history_due()
returns boolean
as $$
-- Is it time to turn the ring of the history: has the current table been so for
-- pgtq.history_retention, and is there something in it?
declare
    _retention  constant interval := coalesce(nullif(current_setting('pgtq.history_retention', true), ''), '24 h')::interval;
    _table      constant text := format('pgtq.history_%s', pg_sequence_last_value('pgtq.history_cur_seq'));
    _due        boolean;
begin
    execute format('select coalesce(max(hi_finished) < clock_timestamp() - $1, true) from %s where hi_timer = 0', _table)
        into _due using _retention;
    return _due and pg_relation_size(_table::regclass) > current_setting('block_size')::bigint;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._history_due() is 'Internal: is it time to turn the ring of the history';
