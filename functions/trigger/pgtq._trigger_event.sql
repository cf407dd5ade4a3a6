--@pl
create or replace function pgtq._trigger_event(
    i_format text, i_relid oid, i_op text, i_when text, i_level text, i_args text[], i_new record, i_old record)
returns boolean
as $$
-- Makes an event of a changed row: the body of jsontriga(), logutriga() and sqltriga().
--
-- Parameters: i_format is json, url or sql; the others are what PL/pgSQL tells a trigger.
-- Returns whether the change shall be skipped (SKIP).
--
-- It runs with the rights and on the search_path of whoever changes the table, because of the
-- expressions in the arguments; what needs operators and functions of PostgreSQL is in functions
-- that have a search_path of their own.
--
-- Under session_replication_role local nothing is looked at, as in PgQ: the change is
-- somebody's repair work.
declare
    _plan   pg_catalog.record;
    _row    pg_catalog.record;
    _pkey_changed    boolean;
    _ignored_changed boolean;
    _other_changed   boolean;
    _data   pg_catalog.text;
    _backup pg_catalog.text;
    _key    pg_catalog.text[];
    _names  pg_catalog.text[];
    _fields pg_catalog.text[];
    _values pg_catalog.text[];
    _types  pg_catalog.text[];
begin
    if pg_catalog.current_setting('session_replication_role') operator(pg_catalog.=) 'local' then
        return false;
    end if;
    _plan := pgtq._trigger_plan(i_format, i_relid, i_op, i_when, i_level, i_args);
    _fields := _plan.fields;
    if _plan.event_sql is not null then
        if i_op operator(pg_catalog.=) 'DELETE' then
            _row := i_old;
        else
            _row := i_new;
        end if;
        execute _plan.event_sql
           into _pkey_changed, _ignored_changed, _other_changed, _data, _backup, _key, _names, _values
          using _row, i_old;
        _fields := pgtq._trigger_fields(i_format, i_op, _fields, _pkey_changed, _ignored_changed, _other_changed,
                                        _data, _backup, _key, _names, _values);
        if _fields is null then
            return _plan.skip;
        end if;
        if _plan.condition_sql is not null then
            execute _plan.condition_sql into strict _values, _types using _row, i_old;
            if not pgtq._trigger_condition('when', _plan.condition, _values[1], _types[1]) then
                return _plan.skip;
            end if;
        end if;
        if _plan.fields_sql is not null then
            execute _plan.fields_sql into strict _values, _types using _row, i_old;
            for _i in 1 .. pg_catalog.cardinality(_values) loop
                _fields[_plan.targets[_i]] := _values[_i];
            end loop;
        end if;
    end if;
    perform pgtq.insert_event(_plan.queue, _fields[1], _fields[2], _fields[3], _fields[4], _fields[5], _fields[6]);
    return _plan.skip;
end;
$$ language plpgsql;

comment on function pgtq._trigger_event(text, oid, text, text, text, text[], record, record) is 'Internal: make an event of a changed row';
--@end
