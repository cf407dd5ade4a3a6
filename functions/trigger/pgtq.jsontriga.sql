create or replace function pgtq.jsontriga()
returns trigger
-- Trigger function: puts each changed row into a queue, as JSON.
--
--     create trigger to_queue after insert or update or delete on customer
--         for each row execute function pgtq.jsontriga('queue');
--
-- Arguments: the queue, then any of SKIP, ignore=COLUMNS, pkey=COLUMNS, backup, deny,
-- when=EXPRESSION, ev_type=, ev_data=, ev_extra1= .. ev_extra4=EXPRESSION; docs/triggers.md
-- explains them.
-- ev_type is {"op":"INSERT","table":["schema","table"],"pkey":["id"]}, ev_data the row as an
-- object, ev_extra1 schema.table, ev_extra2 with backup the old row.
--
-- It runs with the rights of whoever changes the table, who needs pgtq_writer to insert events.
--@c
as 'MODULE_PATHNAME', 'pgtq_jsontriga' language c;
--@pl
as $$
declare
    _skip boolean;
begin
    _skip := pgtq._trigger_event('json', tg_relid, tg_op, tg_when, tg_level, tg_argv, new, old);
    if _skip or tg_when operator(pg_catalog.=) 'AFTER' or tg_op operator(pg_catalog.=) 'TRUNCATE' then
        return null;
    elsif tg_op operator(pg_catalog.=) 'DELETE' then
        return old;
    end if;
    return new;
end;
$$ language plpgsql;
--@end

comment on function pgtq.jsontriga() is 'Trigger: put changed rows into a queue, as JSON';
