create or replace function pgtq.current_timer()
returns bigint
-- In an action: the id of its timer; in a job: its id.  Elsewhere null.
--@c
as 'MODULE_PATHNAME', 'pgtq_current_timer' language c;
--@pl
as $$
begin
    return nullif(pg_catalog.current_setting('pgtq_pl.current_timer', true), '')::bigint;
end;
$$ language plpgsql;
--@end

comment on function pgtq.current_timer() is 'In an action, the id of its timer; elsewhere null';
