create or replace function pgtq._schedule(
    i_role oid, i_queue text, i_at timestamptz, i_is_action boolean, i_type text, i_data text,
    i_extra1 text, i_extra2 text, i_extra3 text, i_extra4 text,
    i_shard bigint, i_timeout integer, i_attempts integer, i_backoff interval, i_expires_in interval,
    i_key text, i_on_conflict text, i_max_delay interval)
returns bigint
as $$
-- Schedules a timer for a role: checks everything, and stores it.
--
-- Returns the timer's id; null if there is one with that key and it is kept.
-- Writes: the delay store, pgtq.role.
--
-- The C bodies store a plain timer by themselves, and come here with all others and with
-- whatever is wrong.
declare
    _q      pgtq.queue;
    _row    pgtq.delay;
    _keyed  record;
begin
    _q := pgtq._check_schedule(i_queue, i_is_action, i_timeout, i_attempts, i_backoff, i_expires_in,
                               i_key is not null, i_on_conflict, i_max_delay);
    perform pgtq._check_timer(i_at, i_is_action, i_data, i_key is not null, i_key);

    _row.dl_queue := _q.queue_id;
    _row.dl_due := i_at;
    _row.ev_role := i_role;
    _row.ev_created := pgtq._now();
    _row.ev_type := i_type;
    _row.ev_data := i_data;
    _row.ev_extra1 := i_extra1;
    _row.ev_extra2 := i_extra2;
    _row.ev_extra3 := i_extra3;
    _row.ev_extra4 := i_extra4;
    _row.ev_key := i_key;
    if i_is_action then
        _row.ev_attempts := coalesce(i_attempts, 1);
        _row.ev_timeout := nullif(i_timeout, 0);
        _row.ev_backoff := nullif(i_backoff, '1 second');
        _row.ev_expires := i_at + i_expires_in;
        _row.ev_shard := nullif(i_shard, 0);
    end if;

    perform pgtq._note_role(i_role);
    if i_key is not null then
        select * into _keyed from pgtq._replace_keyed(_row, i_on_conflict, i_max_delay);
        if _keyed.is_there then
            return _keyed.timer;
        end if;
    end if;
    _row.ev_timer := nextval('pgtq.timer_id_seq');
    perform pgtq._store(_row);
    return _row.ev_timer;
end;
$$ language plpgsql;

comment on function pgtq._schedule(oid, text, timestamptz, boolean, text, text, text, text, text, text, bigint, integer, integer, interval, interval, text, text, interval)
    is 'Internal: check and store a timer of a role';
