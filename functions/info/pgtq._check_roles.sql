create or replace function pgtq._check_roles(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Roles that have timers and cannot run them: dropped, without LOGIN (before PostgreSQL 17), without
-- CONNECT.  Timers are looked through for such roles only.
declare
    _bad    text;
begin
    name := 'roles';
    select string_agg(format('%I %s', r.ro_name, r.why), ', ' order by r.ro_name) into _bad
      from (select distinct o.ro_oid, o.ro_name,
                   case when u.oid is null then 'does not exist'
--@c
                        when not u.rolcanlogin and current_setting('server_version_num')::integer < 170000 then 'may not log in'
--@pl
                        when not u.rolcanlogin then 'may not log in'
--@end
                        when not has_database_privilege(u.oid, current_database(), 'connect') then 'may not connect to this database'
                   end as why
              from pgtq.role o
              left join pg_roles u on u.oid = o.ro_oid) r
     where r.why is not null
       and exists (select from pgtq.delay d where d.ev_role = r.ro_oid and d.ev_attempts is not null);
    if _bad is null then
        status := 'ok';
        seen := 'every role that has timers can run them';
    else
        status := 'error';
        seen := format('roles that cannot run their timers: %s', _bad);
        hint := 'Grant LOGIN and CONNECT, or cancel their timers: they fail when they are due.';
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_roles() is 'Internal: a check of health(): roles that cannot run their timers';
