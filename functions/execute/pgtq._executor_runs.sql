create or replace function pgtq._executor_runs()
returns boolean
-- Is there an executor in this database?  Then run_due() is not wanted.
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
