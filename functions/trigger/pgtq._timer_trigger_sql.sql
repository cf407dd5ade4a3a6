create or replace function pgtq._timer_trigger_sql(
    in i_table regclass, in i_action text, in i_in text, in i_at text, in i_when text, in i_cancel_when text,
    in i_key text, in i_queue text, in i_name name,
    out create_sql text,
    out prepare_sql text)
as $$
-- The commands of create_timer_trigger(), after a check of its arguments.
--
-- Returns CREATE TRIGGER, and a PREPARE of the query that the trigger will evaluate, for it to be
-- parsed.  They run on the caller's search_path, so what is not the caller's own SQL has its schema.
declare
    _table  text;
    _name   text;
    _other  text;
begin
    if i_table is null or i_name is null then
        raise exception 'a trigger needs a table and a name' using errcode = 'null_value_not_allowed';
    elsif i_queue is null then
        raise exception 'Queue name must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    perform pgtq._check_timer_arguments(i_action, i_at, i_in, i_when, i_cancel_when);
    select format('%I.%I', n.nspname, c.relname), c.relname into _table, _name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = i_table;

    -- two triggers that schedule under the primary key would replace each other's timers
    if i_key is null and i_action is not null then
        select t.tgname into _other
          from pg_trigger t, string_to_array(encode(t.tgargs, 'escape'), '\000') a (args)
         where t.tgrelid = i_table and t.tgfoid = 'pgtq.timertriga()'::regprocedure
           and a.args[1] = encode(convert_to(i_queue, getdatabaseencoding()), 'escape')
           and not exists (select from unnest(a.args) u (arg) where starts_with(u.arg, 'key='))
           and exists (select from unnest(a.args) u (arg) where starts_with(u.arg, 'action='));
        if found then
            raise exception 'timers of trigger "%" have the same keys', _other
                using errcode = 'duplicate_object', hint = 'Say with key what the key of a timer is.';
        end if;
    end if;

    create_sql := format('create trigger %I after insert or update or delete on %s for each row execute function pgtq.timertriga(%s)',
        i_name, _table,
        (select string_agg(quote_literal(a.arg), ', ' order by a.n)
           from (values (1, i_queue), (2, 'key=' || i_key), (3, 'at=' || i_at), (4, 'in=' || i_in), (5, 'action=' || i_action),
                        (6, 'when=' || i_when), (7, 'cancel_when=' || i_cancel_when)) a (n, arg)
          where a.arg is not null));
    prepare_sql := format(
        e'prepare _pgtq_timer_trigger (%1$s) as select from (select ($1).*) as new, (select ($1).*) as old,'
        ' lateral (select (%3$s\n), (%4$s\n)::pg_catalog.timestamptz, (%5$s\n)::pg_catalog.interval, (%6$s\n),'
        ' case when (%7$s\n) then 1 end, case when (%8$s\n) then 1 end from (select ($1).*) as %2$I) as _e',
        _table, _name, coalesce(i_key, 'null'), coalesce(i_at, 'null'), coalesce(i_in, 'null'), coalesce(i_action, 'null'),
        coalesce(i_when, 'true'), coalesce(i_cancel_when, 'true'));
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._timer_trigger_sql(regclass, text, text, text, text, text, text, text, name)
    is 'Internal: the commands that make a timer trigger';
