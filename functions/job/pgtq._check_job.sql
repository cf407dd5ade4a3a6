create or replace function pgtq._check_job(i_job pgtq.job, i_expires_in interval)
returns void
as $$
-- Checks the arguments of submit_job(), for the role jo_role.
declare
    _null   text;
    _long   text;
begin
    _null := case when i_job.jo_action is null then 'action' when i_job.jo_group is null then 'job_group'
                  when i_job.jo_priority is null then 'priority' when i_job.jo_attempts is null then 'max_attempts'
                  when i_job.jo_backoff is null then 'backoff' when i_job.jo_on_crash is null then 'on_crash'
                  when i_job.jo_output_limit is null then 'output_limit' when i_job.jo_header is null then 'header'
                  when i_job.jo_delimiter is null then 'delimiter' when i_job.jo_quote is null then 'quote'
                  when i_job.jo_escape is null then 'escape' when i_job.jo_null is null then 'null_string'
                  when i_job.jo_strings is null then 'quote_strings_only' end;
    if _null is not null then
        raise exception '% must not be NULL', _null using errcode = 'null_value_not_allowed';
    end if;
    if octet_length(i_job.jo_action) > 1048576 then
        raise exception 'action is too long' using errcode = 'program_limit_exceeded',
            detail = format('It has %s bytes; at most 1048576 are allowed.', octet_length(i_job.jo_action));
    end if;
    if octet_length(i_job.jo_info) > 1048576 then
        raise exception 'data is too long' using errcode = 'program_limit_exceeded',
            detail = format('It has %s bytes; at most 1048576 are allowed.', octet_length(i_job.jo_info));
    end if;
    if i_job.jo_group = '' or octet_length(i_job.jo_group) > 63 then
        raise exception 'job_group must have 1 to 63 bytes' using errcode = 'invalid_parameter_value';
    end if;
    if i_job.jo_due = '-infinity' or i_job.jo_due = 'infinity' then
        raise exception 'at must be finite' using errcode = 'invalid_parameter_value';
    end if;
    if i_job.jo_limit < 1 then
        raise exception 'group_limit must be at least 1' using errcode = 'invalid_parameter_value', hint = 'NULL means no limit.';
    end if;
    if i_job.jo_pause < '0' then
        raise exception 'group_pause must not be negative' using errcode = 'invalid_parameter_value';
    end if;
    if i_job.jo_timeout < 0 then
        raise exception 'timeout_ms must not be negative'
            using errcode = 'invalid_parameter_value', hint = '0 means pgtq.job_timeout.';
    end if;
    if i_expires_in <= '0' then
        raise exception 'expires_in must be positive' using errcode = 'invalid_parameter_value';
    end if;
    if i_job.jo_attempts < 1 then
        raise exception 'max_attempts must be at least 1' using errcode = 'invalid_parameter_value';
    end if;
    if i_job.jo_backoff < '0' then
        raise exception 'backoff must not be negative' using errcode = 'invalid_parameter_value';
    end if;
    if i_job.jo_on_crash not in ('fail', 'retry') then
        raise exception 'invalid on_crash: "%"', i_job.jo_on_crash
            using errcode = 'invalid_parameter_value', hint = 'Valid are "fail" and "retry".';
    end if;
    if i_job.jo_capture not in ('text', 'json') then
        raise exception 'invalid capture: "%"', i_job.jo_capture
            using errcode = 'invalid_parameter_value', hint = 'Valid are "text" and "json"; NULL captures nothing.';
    end if;
    if i_job.jo_output_limit not between 1 and 16777216 then
        raise exception 'output_limit must be between 1 and 16777216' using errcode = 'invalid_parameter_value';
    end if;
    _long := case when length(i_job.jo_delimiter) > 1 then 'delimiter' when length(i_job.jo_quote) > 1 then 'quote'
                  when length(i_job.jo_escape) > 1 then 'escape' end;
    if _long is not null then
        raise exception '% must be a single character, or empty', _long using errcode = 'invalid_parameter_value';
    end if;
    if octet_length(i_job.jo_null) > 63 then
        raise exception 'null_string must have at most 63 bytes' using errcode = 'invalid_parameter_value';
    end if;
    if i_job.jo_life < '0' then
        raise exception 'session_life must not be negative' using errcode = 'invalid_parameter_value';
    end if;
    if i_job.jo_count < 1 then
        raise exception 'session_count must be at least 1' using errcode = 'invalid_parameter_value', hint = 'NULL means any number.';
    end if;
    if i_job.jo_remote is not null then
        perform pgtq._check_remote(i_job.jo_role, i_job.jo_remote);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._check_job(pgtq.job, interval) is 'Internal: check the arguments of submit_job()';
