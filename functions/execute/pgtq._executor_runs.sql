create or replace function pgtq._executor_runs()
returns boolean
-- Is there an executor in this database, or will there be one?  Then run_due() is refused: who
-- takes what is due must be one or the other, and nobody should be able to keep the executor waiting.
--@c
as 'MODULE_PATHNAME', 'pgtq_executor_runs' language c;
--@pl
as $$
begin
    return false;
end;
$$ language plpgsql;
--@end

comment on function pgtq._executor_runs() is 'Internal: is there an executor in this database';
