create or replace function pgtq._done_due()
returns boolean
as $$
-- Is it time to turn the ring of the done log: has its current table grown to a megabyte?
begin
    return pg_relation_size(format('pgtq.done_%s', pg_sequence_last_value('pgtq.done_cur_seq'))::regclass) > 1048576;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq._done_due() is 'Internal: is it time to turn the ring of the done log';
