create or replace function pgtq.timertriga()
returns trigger
-- Trigger function: a changed row makes, moves or cancels a timer.
--
--     create trigger unpaid after insert or update or delete on orders
--         for each row execute function pgtq.timertriga('timers', 'in=''30 minutes''',
--             'action=format(''select cancel_order(%s)'', id)',
--             'when=status = ''unpaid'' and old.status is distinct from status', 'cancel_when=status = ''paid''');
--
-- Arguments: the queue, then key=EXPRESSION, at=EXPRESSION or in=EXPRESSION, action=EXPRESSION,
-- when=EXPRESSION, cancel_when=EXPRESSION; docs/triggers.md explains them.
-- INSERT and UPDATE: where cancel_when= is true, the pending timer of the key is cancelled; else,
-- where when= is true or not given, it is scheduled, or moved if there is one.  DELETE cancels it.
-- Without key= the key is schema.table:value,value with the values of the primary key.
--
-- It runs with the rights of whoever changes the table, who needs pgtq_writer, and to whom the
-- timer belongs.  It writes what schedule_at(), schedule_in() and cancel_key() write.
--@c
as 'MODULE_PATHNAME', 'pgtq_timertriga' language c;
--@pl
as $$
begin
    perform pgtq._trigger_timer(tg_relid, tg_op, tg_when, tg_level, tg_argv, new, old);
    if tg_when operator(pg_catalog.=) 'AFTER' or tg_op operator(pg_catalog.=) 'TRUNCATE' then
        return null;
    elsif tg_op operator(pg_catalog.=) 'DELETE' then
        return old;
    end if;
    return new;
end;
$$ language plpgsql;
--@end

comment on function pgtq.timertriga() is 'Trigger: make, move or cancel a timer when a row changes';
