create or replace function pgtq._keyed_timer(in i_queue_id integer, in i_key text, out ev_timer bigint, out ev_role oid)
as $$
-- The pending timer of a key; nulls if there is none.
begin
    execute 'select ev_timer, ev_role from (' || pgtq._ring_sql('pgtq.delay',
                'select ev_timer, ev_role from %s where dl_queue = $1 and ev_key = $2') || ') k'
        into ev_timer, ev_role using i_queue_id, i_key;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._keyed_timer(integer, text) is 'Internal: the pending timer of a key';
