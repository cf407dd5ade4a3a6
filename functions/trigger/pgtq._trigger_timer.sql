--@pl
create or replace function pgtq._trigger_timer(
    i_relid oid, i_op text, i_when text, i_level text, i_args text[], i_new record, i_old record)
returns void
as $$
-- Makes, moves or cancels the timer of a changed row: the body of timertriga().
--
-- Parameters: what PL/pgSQL tells a trigger.
--
-- It runs with the rights and on the search_path of whoever changes the table, because of the
-- expressions in the arguments, and because the timer belongs to that role; what needs operators
-- and functions of PostgreSQL is in functions that have a search_path of their own.
declare
    _plan    pg_catalog.record;
    _row     pg_catalog.record;
    _cancel  boolean := i_op operator(pg_catalog.=) 'DELETE';
    _changed boolean;
    _values  pg_catalog.text[];
    _types   pg_catalog.text[];
    _key     pg_catalog.text;
    _at      pg_catalog.timestamptz;
    _in      pg_catalog.interval;
    _action  pg_catalog.text;
begin
    if pg_catalog.current_setting('session_replication_role') operator(pg_catalog.=) 'local' then
        return;
    end if;
    _plan := pgtq._trigger_timer_plan(i_relid, i_op, i_when, i_level, i_args);
    if _cancel then
        _row := i_old;
    else
        _row := i_new;
    end if;
    if _plan.changed_sql is not null then
        execute _plan.changed_sql into _changed using _row, i_old;
        if _changed then
            raise exception 'primary key update not allowed'
                using errcode = 'triggered_data_change_violation',
                      hint = 'Delete the row and insert it anew, or say with key= what the key of a timer is.';
        end if;
    end if;

    if not _cancel and _plan.cancel_condition is not null then
        execute pgtq._trigger_expression_sql(i_relid, i_op, array[_plan.cancel_condition], null)
           into strict _values, _types using _row, i_old;
        _cancel := pgtq._trigger_condition('cancel_when', _plan.cancel_condition, _values[1], _types[1]);
    end if;
    if _cancel then
        execute pgtq._trigger_expression_sql(i_relid, i_op, array[_plan.key], array[null])
           into strict _key using _row, i_old;
        perform pgtq._trigger_timer_null('key', _plan.key, _key is null);
        perform pgtq.cancel_key(_key, _plan.queue);
        return;
    elsif _plan.action is null then
        return;
    end if;
    if _plan.condition is not null then
        execute pgtq._trigger_expression_sql(i_relid, i_op, array[_plan.condition], null)
           into strict _values, _types using _row, i_old;
        if not pgtq._trigger_condition('when', _plan.condition, _values[1], _types[1]) then
            return;
        end if;
    end if;

    execute pgtq._trigger_expression_sql(i_relid, i_op,
                array[_plan.key, coalesce(_plan.fire_at, 'null'), coalesce(_plan.fire_in, 'null'), _plan.action],
                array[null, 'pg_catalog.timestamptz', 'pg_catalog.interval', null])
       into strict _key, _at, _in, _action using _row, i_old;
    perform pgtq._trigger_timer_null('key', _plan.key, _key is null);
    if _plan.fire_at is not null then
        perform pgtq._trigger_timer_null('at', _plan.fire_at, _at is null);
        perform pgtq._trigger_timer_null('action', _plan.action, _action is null);
        perform pgtq.schedule_at(_at, _action, queue => _plan.queue, key => _key, on_conflict => 'replace');
    else
        perform pgtq._trigger_timer_null('in', _plan.fire_in, _in is null);
        perform pgtq._trigger_timer_null('action', _plan.action, _action is null);
        perform pgtq.schedule_in(_in, _action, queue => _plan.queue, key => _key, on_conflict => 'replace');
    end if;
end;
$$ language plpgsql;

comment on function pgtq._trigger_timer(oid, text, text, text, text[], record, record) is 'Internal: make, move or cancel the timer of a changed row';
--@end
