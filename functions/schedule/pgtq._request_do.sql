create or replace function pgtq._request_do()
returns trigger
as $$
-- Trigger of pgtq.request: does what is asked for, for new.role, which the trigger before this
-- one has set.
begin
    case new.op
        when 'schedule' then
            new.timer := pgtq._schedule(new.role, new.queue, new.at, new.is_action, new.ev_type, new.ev_data,
                                        new.ev_extra1, new.ev_extra2, new.ev_extra3, new.ev_extra4,
                                        new.shard, new.timeout, new.attempts, new.backoff, new.expires_in,
                                        new.key, new.on_conflict, new.max_delay);
        when 'schedule_many' then
            new.many_timer := pgtq._schedule_many(new.role, new.queue, new.many_at, new.many_data, new.many_shard,
                                                  new.timeout, new.attempts, new.backoff, new.expires_in,
                                                  new.many_key, new.on_conflict);
        when 'cancel' then
            new.done := pgtq._end_timer(new.role, new.timer, 3, null, null, null);
        when 'cancel_key' then
            new.done := pgtq._cancel_key(new.role, new.queue, new.key);
        when 'reschedule' then
            new.done := pgtq._reschedule(new.role, new.timer, new.at);
        when 'fire' then
            new.ev_data := pgtq._fire(new.role, new.timer);
        when 'set_schedule' then
            new.timer := pgtq._set_schedule(new.role, new.schedule, new.queue);
        when 'unschedule' then
            new.done := pgtq._unschedule(new.role, new.name, new.owner);
        when 'pause' then
            new.done := pgtq._pause(new.role, new.name, new.owner, true);
        when 'resume' then
            new.done := pgtq._pause(new.role, new.name, new.owner, false);
        when 'run_now' then
            new.timer := pgtq._run_now(new.role, new.name, new.owner);
        when 'take_due' then
            select t.sub, t.many_event, t.many_timer, t.many_data, t.many_timeout
              into new.sub, new.many_event, new.many_timer, new.many_data, new.many_timeout
              from pgtq._take_due(new.role, new.count) t;
        when 'end_due' then
            perform pgtq._end_due(new.role, new.sub, new.many_event, new.many_at, new.many_sqlstate, new.many_error);
        when 'replay' then
            new.timer := pgtq._replay(new.role, new.timer);
        when 'purge' then
            new.count := pgtq._purge(new.role, new.at);
        when 'submit_job' then
            new.timer := pgtq._submit_job(new.role, new.job, new.expires_in);
        when 'cancel_job' then
            new.done := pgtq._cancel_job(new.role, new.timer);
        when 'take_job' then
            new.job := pgtq._take_job(new.role);
        when 'end_job' then
            perform pgtq._finish_job(new.role, new.timer, new.sqlstate, new.error, new.output, new.output_cut);
        when 'fail' then
            new.done := pgtq._end_timer(new.role, new.timer, 2, new.at, new.sqlstate, new.error);
    end case;
    return new;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq._request_do() is 'Internal: trigger that does what is asked for';
