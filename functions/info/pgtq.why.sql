create or replace function pgtq.why(timer_id bigint)
returns text
as $$
-- Where a timer or a job is, and why it has not fired, fired late, failed or was skipped: one paragraph.
--
-- Runs as the caller, who learns of his own only; pgtq_admin of all.  Writes nothing.
declare
    _t      record;
    _a      record;
    _now    constant timestamptz := pgtq._now();
    _name   text;
    _text   text;
    _tries  text;
    _late   interval;
begin
    -- the places one by one: the event tables have no index on timers, so they come last
    select * into _t from pgtq.timers t where t.id = timer_id and t.finished_at is null and t.state = 'pending';
    if not found then
        select * into _t from pgtq.timers t where t.id = timer_id and t.finished_at is not null order by t.attempts desc limit 1;
    end if;
    if not found then
        select * into _t from pgtq.timers t where t.id = timer_id;
    end if;
    if _t.id is null then
        _text := pgtq._why_job(timer_id);
        if _text is not null then
            return _text;
        end if;
        return format('Timer %s is not known to you: it never was, its transaction has not committed or was rolled back, it is another role''s,'
                      ' or its history is gone (pgtq.history is %s, kept for %s at least).', timer_id,
                      coalesce(nullif(current_setting('pgtq.history', true), ''), 'all'),
                      coalesce(nullif(current_setting('pgtq.history_retention', true), ''), '24h'));
    end if;
    _name := format('Timer %s of %s in queue %s', _t.id, _t.scheduled_by, _t.queue) || coalesce(', a run of schedule ' || quote_ident(_t.schedule) || ',', '');
    select count(*) as n, (array_agg(format('%s (%s)', a.error, a.sqlstate) order by a.attempt desc))[1] as error into _a
      from pgtq.attempts a where a.id = timer_id and a.state = 'retried';
    _tries := case when _a.n > 0 then format(' %s attempts before failed, the last with: %s.', _a.n, _a.error) else '' end;
    _late := _t.fired_at - _t.fire_at;

    if _t.state = 'pending' and _t.fire_at = 'infinity' then
        _text := format('%s waits until that is resumed: see resume().', _name);
    elsif _t.state = 'pending' and _t.fire_at > _now then
        _text := format('%s waits: it is due at %s, in %s.', _name, _t.fire_at, date_trunc('second', _t.fire_at - _now));
    elsif _t.state = 'pending' then
        _text := format('%s was due at %s, %s ago, and has not left the delay store. %s', _name, _t.fire_at,
                        date_trunc('milliseconds', _now - _t.fire_at), pgtq._why_waits(timer_id, false));
    elsif _t.state = 'due' then
        select format('Its action runs now, in process %s, since %s.', r.pid, r.since) into _text from pgtq.running r where r.id = timer_id;
        _text := format('%s was due at %s and is in its queue. %s', _name, _t.fire_at, coalesce(_text, pgtq._why_waits(timer_id, true)));
    elsif _t.action is null then
        _text := format('%s is an event: it %s.', _name,
                        case when _t.state = 'fired' then format('was due at %s and has entered its queue, where consumers read it', _t.fire_at)
                             else format('was %s at %s', _t.state, _t.finished_at) end);
    elsif _t.state = 'cancelled' then
        _text := format('%s was cancelled at %s, %s.', _name, _t.finished_at,
                        case when _t.finished_at < _t.fire_at then format('%s before it was due', date_trunc('second', _t.fire_at - _t.finished_at))
                             else format('though it had been due at %s', _t.fire_at) end);
    elsif _t.state = 'expired' then
        _text := format('%s was due at %s and was skipped: when its turn came, at %s, it had expired (%s).%s', _name, _t.fire_at, _t.finished_at,
                        case when _t.schedule is null then 'expires_in' else 'catch_up' end, pgtq._why_late(_t.fire_at, _t.finished_at, _t.created_at));
    else
        _text := format('%s %s at %s, %s, and took %s.%s%s', _name, _t.state, _t.fired_at,
                        case when _late < interval '0' then 'before its time, by fire()'
                             else format('%s ms after its time', round(extract(epoch from _late) * 1000, 1)) end,
                        coalesce(_t.finished_at - _t.fired_at, interval '0'),
                        case when _late > interval '1 s' then pgtq._why_late(_t.fire_at, _t.fired_at, _t.created_at) else '' end,
                        case when _t.state = 'failed' then format(' Its error: %s (%s), in attempt %s. pgtq.replay(%s) tries it once more.',
                                                                  _t.error, _t.sqlstate, _t.attempts, _t.id)
                             else '' end);
    end if;
    return _text || _tries;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.why(bigint) is 'Where a timer or a job is, and why it has not fired, fired late, failed or was skipped';
