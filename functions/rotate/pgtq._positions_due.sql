create or replace function pgtq._positions_due()
returns boolean
as $$
-- Is it time to turn the ring of the position log: has it something to give back, and did
-- it move on to its current table long enough ago?
--
-- TRUNCATE is not MVCC: whoever has an older snapshot sees neither the truncated rows nor
-- their copies, and gets a serialization failure.  So a table's rows are copied when the
-- ring leaves it, and it is truncated a turn later, and turns are at least
-- pgtq.truncate_patience apart: 10 minutes, if not set.
declare
    _patience   constant interval := coalesce(nullif(current_setting('pgtq.truncate_patience', true), ''), '10 min')::interval;
    _cur        constant integer := pg_sequence_last_value('pgtq.position_cur_seq');
begin
    return (select sum(pg_relation_size(format('pgtq.position_%s', n)::regclass)) > 65536
              from generate_series(0, 2) n)
       and coalesce((select max(pos_time) + _patience < clock_timestamp()
                       from pgtq.position where pos_table = _cur and pos_sub = 0), true);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._positions_due() is 'Internal: is it time to turn the position log';
