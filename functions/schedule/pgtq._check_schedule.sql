create or replace function pgtq._check_schedule(
    i_queue text, i_is_action boolean, i_timeout integer, i_attempts integer, i_backoff interval,
    i_expires_in interval, i_keyed boolean, i_on_conflict text, i_max_delay interval)
returns pgtq.queue
as $$
-- Checks what is common to all timers of a call.  Returns the queue; the queue "timers" is made
-- here if it does not exist.
declare
    _q  pgtq.queue;
begin
    if i_queue is null then
        raise exception 'Queue name must not be NULL' using errcode = 'null_value_not_allowed';
    end if;
    if i_timeout < 0 then
        raise exception 'timeout_ms must not be negative'
            using errcode = 'invalid_parameter_value', hint = '0 means pgtq.action_timeout.';
    end if;
    if i_attempts < 1 then
        raise exception 'max_attempts must be at least 1' using errcode = 'invalid_parameter_value';
    end if;
    if i_backoff < '0' then
        raise exception 'backoff must not be negative' using errcode = 'invalid_parameter_value';
    end if;
    if i_expires_in <= '0' then
        raise exception 'expires_in must be positive' using errcode = 'invalid_parameter_value';
    end if;
    if i_on_conflict is null or i_on_conflict not in ('keep', 'replace', 'update') then
        raise exception 'invalid on_conflict: %', coalesce('"' || i_on_conflict || '"', 'NULL')
            using errcode = 'invalid_parameter_value', hint = 'Valid are "keep", "replace" and "update".';
    end if;
    if not i_keyed and i_on_conflict <> 'keep' then
        raise exception 'on_conflict needs a key' using errcode = 'invalid_parameter_value',
            hint = 'It says what to do if a timer with the same key is pending; give it one, as in key => ''cart 7''.';
    end if;
    if i_max_delay is not null and (not i_keyed or i_on_conflict <> 'replace') then
        raise exception 'max_delay needs a key and on_conflict => ''replace'''
            using errcode = 'invalid_parameter_value';
    end if;
    if i_max_delay < '0' then
        raise exception 'max_delay must not be negative' using errcode = 'invalid_parameter_value';
    end if;
    if i_keyed and current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
        raise exception 'could not serialize access: a key needs the latest state'
            using errcode = 'serialization_failure',
                  detail = format('The transaction is %s.', upper(current_setting('transaction_isolation'))),
                  hint = 'Make calls with a key under READ COMMITTED.';
    end if;

    select * into _q from pgtq.queue where queue_name = i_queue;
    if not found and i_queue = 'timers' and i_is_action then
        perform pgtq.create_queue('timers');
        perform pgtq.attach_executor('timers');
        perform pgtq.set_queue_config('timers', 'ticker_max_lag', '0');     -- what is due is not to wait for more
        select * into _q from pgtq.queue where queue_name = i_queue;
    end if;
    if _q.queue_id is null then
        raise exception 'No such queue'
            using errcode = 'undefined_object', detail = format('Queue: %s', i_queue),
                  hint = 'Queues are made with create_queue().';
    end if;
    if _q.queue_home <> pgtq._home() and not pgtq._adopt_clone() then
        raise exception 'Insert into queue disallowed'
            using errcode = 'object_not_in_prerequisite_state', detail = 'The database is a copy of another one.';
    end if;
    if _q.queue_disable_insert then
        raise exception 'Insert into queue disallowed'
            using errcode = 'object_not_in_prerequisite_state', detail = format('Queue: %s', i_queue);
    end if;
    if i_is_action and _q.queue_executor is null then
        raise exception 'queue "%" has no executor', i_queue
            using errcode = 'object_not_in_prerequisite_state',
                  hint = format('Use the queue "timers", or attach_executor(%L); for events without an action there is insert_event_at().', i_queue);
    end if;
    return _q;
end;
$$ language plpgsql;

comment on function pgtq._check_schedule(text, boolean, integer, integer, interval, interval, boolean, text, interval)
    is 'Internal: check the arguments of schedule functions';
