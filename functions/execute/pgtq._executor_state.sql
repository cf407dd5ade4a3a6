create or replace function pgtq._executor_state(out executor_pid integer, out sessions integer, out sessions_wait boolean)
-- What shared memory says of the executor of this database: its process, how many sessions it has,
-- and whether one could not be started for want of a worker slot.  See health().
--@c
as 'MODULE_PATHNAME', 'pgtq_executor_state' language c;
--@pl
as $$
begin
    executor_pid := null;
    sessions := 0;
    sessions_wait := false;
end;
$$ language plpgsql;
--@end

comment on function pgtq._executor_state() is 'Internal: the executor of this database, from shared memory';
