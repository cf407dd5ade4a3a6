create or replace function pgtq.submit_job(
    action text, at timestamptz default null, job_group text default 'default', group_limit integer default null,
    group_pause interval default null, priority integer default 0, timeout_ms integer default 0, expires_in interval default null,
    max_attempts integer default 1, backoff interval default '1 second', on_crash text default 'fail',
    capture text default null, output_limit integer default 65536, header boolean default true,
    delimiter text default E'\t', quote text default '', escape text default '', null_string text default E'\\N',
    quote_strings_only boolean default true, session_life interval default null, session_count integer default null,
    parent bigint default null, data text default null, remote text default null)
returns bigint
as $$
-- Submits SQL to be run in a session and in transactions of its own, as the calling role.
--
-- Parameters:
--   action        the SQL, up to 1 MB; each statement is a transaction, unless it says BEGIN; the first
--                 error ends it
--   at            when; null is now
--   job_group     a group of the calling role's jobs
--   group_limit   begin when fewer than this of the group are running
--   group_pause   begin so long after the last one of the group has ended
--   priority      among the jobs of the role, higher ones begin first
--   timeout_ms    how long it may take; 0 is pgtq.job_timeout
--   expires_in    do not begin it later than this after its time
--   max_attempts  how many times to try a job that fails, with pauses of backoff, doubled each time
--   on_crash      if its session is lost, nobody knows how far it came: fail, or retry it
--   capture       text or json: keep the rows that it returns, up to output_limit bytes, in jobs.output
--   header, delimiter, quote, escape, null_string, quote_strings_only
--                 what text looks like
--   session_life  its session takes more jobs of the group until it is so old ...
--   session_count ... and until it has run so many
--   parent        the job that submits this one; if it is called in a job or timer, that
--   data          whatever the caller likes
--   remote        send it to another server: the name of a foreign server for which the role has a user mapping with a password, or,
--                 of a superuser, a connection string
-- Returns the job's id.
declare
    _job    pgtq.job;
    _id     bigint;
begin
    _job.jo_action := action;
    _job.jo_due := at;
    _job.jo_group := job_group;
    _job.jo_limit := group_limit;
    _job.jo_pause := group_pause;
    _job.jo_priority := priority;
    _job.jo_timeout := timeout_ms;
    _job.jo_attempts := max_attempts;
    _job.jo_backoff := backoff;
    _job.jo_on_crash := on_crash;
    _job.jo_capture := capture;
    _job.jo_output_limit := output_limit;
    _job.jo_header := header;
    _job.jo_delimiter := delimiter;
    _job.jo_quote := quote;
    _job.jo_escape := escape;
    _job.jo_null := null_string;
    _job.jo_strings := quote_strings_only;
    _job.jo_life := session_life;
    _job.jo_count := session_count;
    _job.jo_parent := coalesce(parent, pgtq.current_timer());
    _job.jo_info := data;
    _job.jo_remote := remote;
    insert into pgtq.request (op, job, expires_in) values ('submit_job', _job, expires_in) returning timer into _id;
    return _id;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq.submit_job(text, timestamptz, text, integer, interval, integer, integer, interval, integer, interval, text, text, integer, boolean, text, text, text, text, boolean, interval, integer, bigint, text, text)
    is 'Run SQL in a session and in transactions of its own, as the calling role; the id of the job';
