create or replace function pgtq._check_clock(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- A clock that was set back leaves ticks in the future.  pgtq.clock_offset is for tests: as a setting of
-- the database or of a role it would move time for real.
declare
    _set    text;
    _ahead  text;
    _steps  bigint;
begin
    name := 'clock';
    select string_agg(concat_ws(' in ', 'role ' || quote_ident(r.rolname), 'database ' || quote_ident(d.datname)), ', ') into _set
      from pg_db_role_setting s
      left join pg_roles r on r.oid = s.setrole
      left join pg_database d on d.oid = s.setdatabase
     where (s.setdatabase = 0 or d.datname = current_database())
       and exists (select from unnest(s.setconfig) c where c ~ '^pgtq\.clock_offset=.');
    select string_agg(format('%I by %s', q.queue_name, date_trunc('second', t.tick_time - clock_timestamp())), ', ' order by q.queue_name) into _ahead
      from pgtq.queue q
      cross join lateral pgtq._ticks(q.queue_id, null, true, 1) t
     where t.tick_time > clock_timestamp() + interval '1 s';
    select s.clock_steps into _steps from pgtq._ticker_state() s;
    if _ahead is not null then
        status := 'warn';
        seen := format('the last tick of these queues is in the future: %s', _ahead);
        hint := 'The clock was set back, or somebody ticked with pgtq.clock_offset; nothing is lost, but lag and age are wrong until then.';
    elsif _set is not null then
        status := 'warn';
        seen := format('pgtq.clock_offset is set for %s', _set);
        hint := 'It is for sessions of tests: ALTER DATABASE or ALTER ROLE ... RESET pgtq.clock_offset.';
    else
        status := 'ok';
        seen := format('the ticker has seen it set %s times', _steps);
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_clock() is 'Internal: a check of health(): the clock';
