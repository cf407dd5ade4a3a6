create or replace function pgtq.batch_event_tables(x_batch_id bigint)
returns setof text
as $$
-- The tables that may hold events of a batch.  A batch looks into the txid index of every
-- table of the ring, which costs next to nothing where there is no such event, and finds
-- also what was written to a table that was no longer the current one.
declare
    _prefix text := (pgtq._batch(x_batch_id)).data_pfx;
    _n      integer := 0;
begin
    while to_regclass(pgtq.quote_fqname(_prefix || '_' || _n)) is not null loop
        return next _prefix || '_' || _n;
        _n := _n + 1;
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.batch_event_tables(bigint) is 'The tables that may hold events of a batch';
