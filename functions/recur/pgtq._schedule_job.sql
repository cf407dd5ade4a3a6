create or replace function pgtq._schedule_job(i_schedule pgtq.schedule, i_due timestamptz)
returns pgtq.job
as $$
-- The job that a run of a schedule is, but for its id and which run it is.  Its options have the names of
-- submit_job()'s arguments; what is wrong with one of them is found when the schedule is made.
declare
    _columns constant jsonb := jsonb
        '{"job_group": "jo_group", "group_limit": "jo_limit", "group_pause": "jo_pause", "priority": "jo_priority",'
        ' "expires_in": null, "on_crash": "jo_on_crash", "capture": "jo_capture", "output_limit": "jo_output_limit",'
        ' "header": "jo_header", "delimiter": "jo_delimiter", "quote": "jo_quote", "escape": "jo_escape",'
        ' "null_string": "jo_null", "quote_strings_only": "jo_strings", "session_life": "jo_life",'
        ' "session_count": "jo_count", "data": "jo_info", "remote": "jo_remote"}';
    _job    pgtq.job;
    _key    text;
    _value  jsonb;
begin
    -- the defaults of submit_job()
    _job.jo_group := 'default';
    _job.jo_priority := 0;
    _job.jo_on_crash := 'fail';
    _job.jo_output_limit := 65536;
    _job.jo_header := true;
    _job.jo_delimiter := E'\t';
    _job.jo_quote := '';
    _job.jo_escape := '';
    _job.jo_null := E'\\N';
    _job.jo_strings := true;

    _job.jo_schedule := i_schedule.sc_id;
    _job.jo_role := i_schedule.sc_role;
    _job.jo_action := i_schedule.sc_action;
    _job.jo_timeout := i_schedule.sc_timeout;
    _job.jo_attempts := i_schedule.sc_attempts;
    _job.jo_backoff := coalesce(i_schedule.sc_backoff, '1 second');
    _job.jo_due := i_due;
    if i_schedule.sc_options is null then
        return _job;
    elsif jsonb_typeof(i_schedule.sc_options) <> 'object' then
        raise exception 'job_options must be a JSON object' using errcode = 'invalid_parameter_value',
            hint = 'Such as {"job_group": "night", "group_limit": 1}.';
    end if;
    for _key, _value in select e.key, e.value from jsonb_each(i_schedule.sc_options) e order by e.key loop
        if not _columns ? _key then
            raise exception 'unknown option "%" in job_options', left(_key, 100) using errcode = 'invalid_parameter_value',
                hint = case when _key in ('action', 'timeout_ms', 'max_attempts', 'backoff') then 'It is an argument of the schedule itself.'
                            else format('Valid are %s.', (select string_agg(format('"%s"', c), ', ' order by c) from jsonb_object_keys(_columns) c)) end;
        elsif jsonb_typeof(_value) in ('object', 'array') and _key <> 'data' then
            raise exception 'invalid value of option "%" in job_options', _key using errcode = 'invalid_parameter_value',
                detail = format('It is an %s.', jsonb_typeof(_value));
        end if;
        begin
            if _key = 'expires_in' then
                _job.jo_expires := i_due + (_value #>> '{}')::interval;
            else
                _job := jsonb_populate_record(_job, jsonb_build_object(_columns ->> _key, _value));
            end if;
        exception
            when data_exception then
                raise exception 'invalid value of option "%" in job_options', _key
                    using errcode = 'invalid_parameter_value', detail = format('%s.', sqlerrm), hint = 'It is what submit_job() takes for it.';
        end;
    end loop;
    return _job;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._schedule_job(pgtq.schedule, timestamptz) is 'Internal: the job that a run of a schedule is';
