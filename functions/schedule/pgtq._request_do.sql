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
        when 'take_due' then
            select t.sub, t.many_event, t.many_tick, t.many_timer, t.many_data
              into new.sub, new.many_event, new.many_tick, new.many_timer, new.many_data
              from pgtq._take_due(new.role, new.count) t;
        when 'end_due' then
            perform pgtq._end_due(new.role, new.sub, new.many_event, new.many_tick, new.many_at, new.many_sqlstate, new.many_error);
        when 'replay' then
            new.timer := pgtq._replay(new.role, new.timer);
        when 'purge' then
            new.count := pgtq._purge(new.role, new.at);
        when 'fail' then
            new.done := pgtq._end_timer(new.role, new.timer, 2, new.at, new.sqlstate, new.error);
    end case;
    return new;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq._request_do() is 'Internal: trigger that does what is asked for';
