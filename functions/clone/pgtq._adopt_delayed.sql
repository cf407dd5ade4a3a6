create or replace function pgtq._adopt_delayed(i_queue_id integer)
returns void
as $$
-- Puts what waits for a queue into the delay store anew, under a transaction of this database's
-- life, so that the mover finds it.
declare
    _n  integer;
begin
    for _n in select gen_n from pgtq.generation order by gen_n loop
        execute format('update pgtq.delay_%s set ev_txid = pg_current_xact_id() where dl_queue = $1', _n) using i_queue_id;
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._adopt_delayed(integer) is 'Internal: put what waits for a queue into the delay store anew';
