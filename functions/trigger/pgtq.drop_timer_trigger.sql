create or replace function pgtq.drop_timer_trigger(on_table regclass, name text default 'timertriga')
returns void
as $$
-- Drops a trigger of timertriga(), and no other, as the caller.  Timers that are pending stay.
declare
    _name name := name;
begin
    if not exists (select from pg_trigger t where t.tgrelid = on_table and t.tgname = _name
                      and t.tgfoid = 'pgtq.timertriga()'::regprocedure and not t.tgisinternal) then
        raise exception 'table % has no timer trigger "%"', on_table, _name using errcode = 'undefined_object';
    end if;
    execute format('drop trigger %I on %s', _name, on_table);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.drop_timer_trigger(regclass, text) is 'Drop a trigger that was made with create_timer_trigger()';
