create or replace function pgtq.logutriga()
returns trigger
-- Trigger function: puts each changed row into a queue, urlencoded.
--
--     create trigger to_queue after insert or update or delete on customer
--         for each row execute function pgtq.logutriga('queue');
--
-- Arguments: those of jsontriga().
-- ev_type is I:id, U:id or D:id with the primary key's columns, or R for TRUNCATE; ev_data
-- id=1&name=a+b, where a name without = is null; ev_extra1 schema.table, ev_extra2 with backup
-- the old row.
--
-- It runs with the rights of whoever changes the table, who needs pgtq_writer to insert events.
--@c
as 'MODULE_PATHNAME', 'pgtq_logutriga' language c;
--@pl
as $$
declare
    _skip boolean;
begin
    _skip := pgtq._trigger_event('url', tg_relid, tg_op, tg_when, tg_level, tg_argv, new, old);
    if _skip or tg_when operator(pg_catalog.=) 'AFTER' or tg_op operator(pg_catalog.=) 'TRUNCATE' then
        return null;
    elsif tg_op operator(pg_catalog.=) 'DELETE' then
        return old;
    end if;
    return new;
end;
$$ language plpgsql;
--@end

comment on function pgtq.logutriga() is 'Trigger: put changed rows into a queue, urlencoded';
