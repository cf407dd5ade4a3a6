create or replace function pgtq._store(i_row pgtq.delay)
returns void
as $$
-- Puts a row into the current generation of the delay store, under this transaction's id.
begin
    i_row.ev_txid := pg_current_xact_id();
    execute format('insert into %s select ($1).*', pgtq._current_table('pgtq.delay')) using i_row;
    perform pgtq._wake_at(i_row.dl_due);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._store(pgtq.delay) is 'Internal: put a row into the delay store';
