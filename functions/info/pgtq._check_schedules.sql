create or replace function pgtq._check_schedules(out name text, out status text, out seen text, out hint text)
returns setof record
as $$
-- Schedules that have stopped because of an error, and those of which the last three runs, or more, have failed.
declare
    _broken text;
    _failed text;
begin
    name := 'schedules';
    select string_agg(format('%I: %s', s.sc_name, e.se_error), ', ' order by s.sc_name) into _broken
      from pgtq.schedule_end e join pgtq.schedule s on s.sc_id = e.se_schedule and s.sc_epoch = e.se_epoch
     where e.se_error is not null;
    select string_agg(format('%I (%s times)', s.sc_name, f.failures), ', ' order by f.failures desc, s.sc_name) into _failed
      from (select hi_schedule, count(*) as failures
              from pgtq.history h
             where hi_schedule is not null and hi_status = 2
               and not exists (select from pgtq.history l where l.hi_schedule = h.hi_schedule and l.hi_status = 1 and l.hi_finished > h.hi_finished)
             group by hi_schedule
            having count(*) >= 3
             order by failures desc limit 10) f
      join pgtq.schedule s on s.sc_id = f.hi_schedule;
    if _broken is not null then
        status := 'error';
        seen := format('schedules that have stopped: %s', _broken);
        hint := 'Schedule them again, or end them with unschedule().';
    elsif _failed is not null then
        status := 'warn';
        seen := format('schedules whose runs fail: %s', _failed);
        hint := 'pgtq.schedules has the last error of each, schedule_runs all.';
    else
        status := 'ok';
        seen := 'no schedule has stopped, or failed three times in a row';
    end if;
    return next;
end;
$$ language plpgsql;

comment on function pgtq._check_schedules() is 'Internal: a check of health(): schedules that fail';
