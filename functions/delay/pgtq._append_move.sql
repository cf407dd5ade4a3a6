create or replace function pgtq._append_move(i_n bigint, i_snapshot pg_snapshot, i_horizon timestamptz, i_late bigint[])
returns void
as $$
-- Notes in the position log how far the mover has come, see _move_due().  The caller holds the
-- mover's lock.
begin
    execute format('insert into %s (pos_sub, pos_n, pos_snapshot, pos_horizon, pos_late) values (-1, $1, $2, $3, nullif($4, ''{}''))',
                   pgtq._current_table('pgtq.position'))
        using i_n, i_snapshot, i_horizon, i_late;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._append_move(bigint, pg_snapshot, timestamptz, bigint[]) is 'Internal: note how far the mover has come';
