create or replace function pgtq.sqltriga()
returns trigger
-- Trigger function: puts each change into a queue, as part of an SQL command.
--
--     create trigger to_queue after insert or update or delete on customer
--         for each row execute function pgtq.sqltriga('queue');
--
-- Arguments: those of jsontriga().
-- ev_type is I, U, D, or R for TRUNCATE; ev_data is what follows the name of the table in a
-- command that does the same: (id,name) values ('1','x'), name='y' where id='1', id='1';
-- ev_extra1 schema.table, ev_extra2 with backup the old row, urlencoded.
--
-- It runs with the rights of whoever changes the table, who needs pgtq_writer to insert events.
--@c
as 'MODULE_PATHNAME', 'pgtq_sqltriga' language c;
--@pl
as $$
declare
    _skip boolean;
begin
    _skip := pgtq._trigger_event('sql', tg_relid, tg_op, tg_when, tg_level, tg_argv, new, old);
    if _skip or tg_when operator(pg_catalog.=) 'AFTER' or tg_op operator(pg_catalog.=) 'TRUNCATE' then
        return null;
    elsif tg_op operator(pg_catalog.=) 'DELETE' then
        return old;
    end if;
    return new;
end;
$$ language plpgsql;
--@end

comment on function pgtq.sqltriga() is 'Trigger: put changes into a queue, as SQL';
