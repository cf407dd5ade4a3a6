create or replace function pgtq.create_timer_trigger(
    on_table regclass, action text default null, fire_in text default null, fire_at text default null,
    schedule_when text default null, cancel_when text default null, key text default null,
    queue text default 'timers', name text default 'timertriga')
returns text
as $$
-- Writes the CREATE TRIGGER of a timertriga(), for INSERT, UPDATE and DELETE, and runs it as the
-- caller.
--
-- Parameters: the arguments of timertriga(), each an SQL expression over the row (fire_in is its
-- in=, fire_at at=, schedule_when when=); queue and name are names.
-- Returns the name of the trigger.
--
-- The expressions are parsed, as the trigger will do it, but not evaluated: that is what PREPARE
-- does.  It needs the search_path of the caller, whence every other name is qualified.
declare
    _name pg_catalog.name := name;
    _sql  pg_catalog.record;
begin
    _sql := pgtq._timer_trigger_sql(on_table, action, fire_in, fire_at, schedule_when, cancel_when, key, queue, _name);
    execute _sql.prepare_sql;
    deallocate _pgtq_timer_trigger;
    execute _sql.create_sql;
    return _name;
end;
$$ language plpgsql;

comment on function pgtq.create_timer_trigger(regclass, text, text, text, text, text, text, text, text)
    is 'Make a trigger that makes, moves or cancels a timer when a row changes; its name';
