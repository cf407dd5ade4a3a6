create or replace function pgtq._why_job(i_id bigint)
returns text
as $$
-- What why() says of a job; null if it is none of the caller's.
declare
    _j      record;
    _now    constant timestamptz := pgtq._now();
    _name   text;
    _held   bigint;
begin
    select * into _j from pgtq.jobs j where j.id = i_id order by j.finished_at desc nulls first limit 1;
    if not found then
        return null;
    end if;
    _name := format('Job %s of %s in group %s', _j.id, _j.submitted_by, _j.job_group) || coalesce(', sent to ' || _j.remote || ',', '')
             || coalesce(', a run of schedule ' || quote_ident(_j.schedule) || ',', '');
    select count(*) into _held from pgtq.jobs j
     where j.submitted_by = _j.submitted_by and j.job_group = _j.job_group and j.state in ('taken', 'running')
       and (j.remote is null) = (_j.remote is null);
    return case
        when _j.state = 'planned' and _j.fire_at > _now then
            format('%s waits: it may begin at %s, in %s.', _name, _j.fire_at, date_trunc('second', _j.fire_at - _now))
        when _j.state = 'planned' and _held >= _j.group_limit then
            format('%s has been due since %s and waits for its group: %s of it run, and group_limit is %s.', _name, _j.fire_at, _held, _j.group_limit)
        when _j.state = 'planned' then
            format('%s has been due since %s. %s', _name, _j.fire_at, pgtq._why_job_waits(_j.group_pause, _j.remote is not null))
        when _j.state = 'taken' then
            format('%s was due at %s and gets a %s now.', _name, _j.fire_at, case when _j.remote is null then 'session' else 'connection' end)
        when _j.state = 'running' then
            format('%s runs in process %s, since %s.', _name, _j.pid, _j.started_at)
        when _j.state in ('cancelled', 'expired') then
            format('%s was due at %s and was %s at %s, before it began.', _name, _j.fire_at,
                   case _j.state when 'expired' then 'skipped (expires_in)' else 'cancelled' end, _j.finished_at)
        else
            format('%s began at %s, %s after its time, and was %s at %s.%s', _name, _j.started_at, _j.started_at - _j.fire_at,
                   case _j.state when 'done' then 'done' else 'failed' end, _j.finished_at,
                   case when _j.state = 'failed' then format(' Its error: %s (%s), in attempt %s.', _j.error, _j.sqlstate, _j.attempts) else '' end)
    end;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._why_job(bigint) is 'Internal: what why() says of a job';
