create or replace function pgtq._uncopied_positions()
returns integer[]
as $$
-- The subscribers (-1 is the mover) whose last position is not in the current table of the position log.
begin
    return array(
        select s.sub_id from (select sub_id from pgtq.subscriber union all select -1) s
         where (select coalesce(max(pos_n), 0) from pgtq.position
                 where pos_sub = s.sub_id and pos_table = pg_sequence_last_value('pgtq.position_cur_seq'))
             < (select max(pos_n) from pgtq.position where pos_sub = s.sub_id));
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._uncopied_positions() is 'Internal: subscribers without a position in the current table of the log';
