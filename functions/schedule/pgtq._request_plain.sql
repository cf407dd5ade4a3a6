create or replace function pgtq._request_plain()
returns trigger
as $$
-- Trigger of pgtq.plain_request: schedules a timer without options for new.role, which the trigger before this one has
-- set.  Stores it as _store() does; what is rare or wrong is left to _schedule().
declare
    _queue_id   integer;
    _n          bigint;
begin
    select queue_id, pg_sequence_last_value('pgtq.delay_cur_seq') into _queue_id, _n from pgtq.queue
     where queue_name = new.queue and queue_home = pgtq._home() and not queue_disable_insert and queue_executor is not null
       and isfinite(new.at) and octet_length(new.action) <= 1048576 and btrim(new.action, E' \t\r\n') <> ''
       and exists (select from pgtq.role where ro_oid = new.role);
    new.timer := null;
    case _n
        when 0 then
            insert into pgtq.delay_0 (ev_txid, ev_type, ev_data, ev_timer, ev_role, ev_created, ev_attempts, dl_queue, dl_due)
                select pg_current_xact_id(), 'timer', new.action, nextval('pgtq.timer_id_seq'), new.role, pgtq._now(), 1, _queue_id, new.at
                 where pg_sequence_last_value('pgtq.delay_cur_seq') = 0 returning ev_timer into new.timer;
        when 1 then
            insert into pgtq.delay_1 (ev_txid, ev_type, ev_data, ev_timer, ev_role, ev_created, ev_attempts, dl_queue, dl_due)
                select pg_current_xact_id(), 'timer', new.action, nextval('pgtq.timer_id_seq'), new.role, pgtq._now(), 1, _queue_id, new.at
                 where pg_sequence_last_value('pgtq.delay_cur_seq') = 1 returning ev_timer into new.timer;
        when 2 then
            insert into pgtq.delay_2 (ev_txid, ev_type, ev_data, ev_timer, ev_role, ev_created, ev_attempts, dl_queue, dl_due)
                select pg_current_xact_id(), 'timer', new.action, nextval('pgtq.timer_id_seq'), new.role, pgtq._now(), 1, _queue_id, new.at
                 where pg_sequence_last_value('pgtq.delay_cur_seq') = 2 returning ev_timer into new.timer;
        else
            null;
    end case;
    if new.timer is null then
        new.timer := pgtq._schedule(new.role, new.queue, new.at, true, 'timer', new.action, null, null, null, null,
                                    null, null, null, null, null, null, 'keep', null);
    end if;
--@c
    perform pgtq._wake_at(new.at);
--@end
    return new;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq._request_plain() is 'Internal: trigger that schedules a timer without options';
