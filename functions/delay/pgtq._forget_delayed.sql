create or replace function pgtq._forget_delayed(i_column text, i_value integer)
returns void
as $$
-- Deletes from the delay store what belongs to a consumer (ev_owner) or a queue (dl_queue) that
-- is on its way out.
declare
    _n  integer;
begin
    for _n in select gen_n from pgtq.generation order by gen_n loop
        execute format('delete from pgtq.delay_%s where %I = $1', _n, i_column) using i_value;
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._forget_delayed(text, integer) is 'Internal: delete from the delay store';
