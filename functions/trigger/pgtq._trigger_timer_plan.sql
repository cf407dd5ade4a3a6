--@pl
create or replace function pgtq._trigger_timer_plan(
    in i_relid oid,
    in i_op text,
    in i_when text,
    in i_level text,
    in i_args text[],
    out queue text,
    out key text,
    out fire_at text,
    out fire_in text,
    out action text,
    out condition text,
    out cancel_condition text,
    out changed_sql text)
as $$
-- What _trigger_timer() has to do for a row, worked out from the trigger's arguments and the
-- catalogs; checks that the trigger makes sense.
--
-- Returns the arguments, null where they are not given, but for the key; and if that is the
-- primary key, and this an UPDATE, a query that tells whether it has changed.
declare
    _options record;
begin
    if i_op <> 'TRUNCATE' and i_level <> 'ROW' then
        raise exception 'pgtq Ins/Upd/Del trigger must be fired FOR EACH ROW'
            using errcode = 'trigger_protocol_violated', hint = 'Only a trigger for TRUNCATE is FOR EACH STATEMENT.';
    end if;
    _options := pgtq._trigger_timer_options(i_args);
    if i_op = 'TRUNCATE' then
        raise exception 'timer trigger does not work for TRUNCATE'
            using errcode = 'trigger_protocol_violated',
                  hint = 'TRUNCATE has no rows, so it is not known which timers to cancel.';
    elsif i_when <> 'AFTER' then
        raise exception 'timer trigger must be an AFTER trigger'
            using errcode = 'trigger_protocol_violated', hint = 'What another trigger sees is not yet what is stored.';
    end if;

    queue := _options.queue;
    key := _options.key;
    fire_at := _options.fire_at;
    fire_in := _options.fire_in;
    action := _options.action;
    condition := _options.condition;
    cancel_condition := _options.cancel_condition;
    if key is null then
        select k.key, k.changed_sql into key, changed_sql from pgtq._trigger_timer_key(i_relid, i_op) k;
    end if;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._trigger_timer_plan(oid, text, text, text, text[]) is 'Internal: what a timer trigger has to do for a row';
--@end
