--@pl
create or replace function pgtq._trigger_plan(
    in i_format text,
    in i_relid oid,
    in i_op text,
    in i_when text,
    in i_level text,
    in i_args text[],
    out queue text,
    out skip boolean,
    out fields text[],
    out event_sql text,
    out condition text,
    out condition_sql text,
    out fields_sql text,
    out targets integer[])
as $$
-- What _trigger_event() has to do for a row, worked out from the trigger's arguments and the
-- catalogs; checks that the trigger makes sense.
--
-- Returns the event's fields as far as they do not depend on the row (ev_type, ev_data,
-- ev_extra1 to ev_extra4); the query for those that do, null for TRUNCATE; when= and the query
-- for it; the query for the fields that have expressions, and which fields these are.
declare
    _options record;
    _table   record;
    _pkey    text[];
begin
    if i_op <> 'TRUNCATE' and i_level <> 'ROW' then
        raise exception 'pgtq Ins/Upd/Del trigger must be fired FOR EACH ROW'
            using errcode = 'trigger_protocol_violated', hint = 'Only a trigger for TRUNCATE is FOR EACH STATEMENT.';
    end if;
    _options := pgtq._trigger_options(i_args);
    _table := pgtq._trigger_table(i_format, i_relid, i_op, _options.pkey);
    if i_op = 'TRUNCATE' then
        perform pgtq._trigger_check_truncate(_options.ignore, _options.pkey, _options.backup,
                                             _options.condition, _options.fields);
    elsif i_op <> 'INSERT' and (_table.pkey = '{}' or _options.pkey = '') then
        perform pgtq._trigger_no_pkey();
    end if;
    if _options.skip and i_when = 'AFTER' then
        raise exception 'SKIP does not work in AFTER trigger.'
            using errcode = 'trigger_protocol_violated',
                  hint = 'Make it a BEFORE trigger: only that can keep a row from being changed.';
    elsif _options.deny then
        raise exception 'Table ''%'' to queue ''%'': change not allowed (%)', _table.table_name, _options.queue, i_op
            using errcode = 'object_not_in_prerequisite_state';
    end if;

    queue := _options.queue;
    skip := _options.skip;
    fields := array[_table.ev_type, case i_format when 'json' then '{}' else '' end, _table.table_name, null, null, null];
    if i_op = 'TRUNCATE' then
        return;
    end if;
    _pkey := case when _options.pkey is null then _table.pkey else pgtq._trigger_names(i_relid, _options.pkey) end;
    event_sql := pgtq._trigger_sql(i_format, i_relid, i_op, i_when, _pkey,
                                   pgtq._trigger_names(i_relid, _options.ignore), _options.backup);
    condition := _options.condition;
    if condition is not null then
        condition_sql := pgtq._trigger_expression_sql(i_relid, i_op, array[condition], null);
    end if;
    for _n in 1 .. 6 loop
        if _options.fields[_n] is not null then
            targets := targets || _n;
        end if;
    end loop;
    if targets is not null then
        fields_sql := pgtq._trigger_expression_sql(i_relid, i_op, array_remove(_options.fields, null), null);
    end if;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_plan(text, oid, text, text, text, text[]) is 'Internal: what a trigger has to do for a row';
--@end
