create or replace function pgtq.set_queue_config(x_queue_name text, x_param_name text, x_param_value text)
returns integer
as $$
-- Changes one setting of a queue.
--
-- Parameters: x_param_name is the column's name in pgtq.queue without "queue_"; a null
-- x_param_value is for per_tx_limit and extra_maint only.
-- Returns 1.
-- Writes: pgtq.queue.
declare
    _settable constant text[] := array['ticker_max_count', 'ticker_max_lag', 'ticker_idle_period',
        'ticker_paused', 'rotation_period', 'external_ticker', 'disable_insert', 'per_tx_limit', 'extra_maint'];
begin
    if x_queue_name is null or x_param_name is null then
        raise exception 'Invalid NULL value' using errcode = 'null_value_not_allowed';
    end if;
    if not exists (select from pgtq.queue where queue_name = x_queue_name) then
        raise exception 'No such event queue'
            using errcode = 'undefined_object', detail = format('Queue: %s', x_queue_name), hint = 'pgtq.queue_stats lists the queues.';
    end if;
    if x_param_name <> all (_settable) then
        raise exception 'cannot change parameter "%"', x_param_name
            using errcode = 'undefined_parameter',
                  hint = format('Parameters: %s.', array_to_string(_settable, ', '));
    end if;

    begin
        execute format('update pgtq.queue set %I = %L where queue_name = %L',
                       'queue_' || x_param_name, x_param_value, x_queue_name);
    exception
        when data_exception or integrity_constraint_violation then
            raise exception 'invalid value for parameter "%": %', x_param_name, coalesce(quote_literal(x_param_value), 'NULL')
                using errcode = 'invalid_parameter_value', detail = sqlerrm;
    end;
    perform pgtq._queues_changed();
    return 1;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.set_queue_config(text, text, text) is 'Change a setting of a queue';
