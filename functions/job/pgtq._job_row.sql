create or replace function pgtq._job_row(i_job pgtq.job, i_row record, i_header boolean)
returns text
as $$
-- A row that a job has returned as its submitter wants it written, or the line of names above it.  The same
-- as src/jobs/capture.c.
--
-- A column of a record cannot be named here; so the values are taken from the record's text.
declare
    _plain  text[];
    _bare   boolean[];
    _line   text;
begin
    if i_job.jo_capture = 'json' then
        return case when not i_header then row_to_json(i_row)::text end;
    end if;
    if i_header then
        select array_agg(key order by n), array_agg(false) into _plain, _bare
          from json_object_keys(row_to_json(i_row)) with ordinality k (key, n);
        if cardinality(_plain) < 2 or not i_job.jo_header then
            return null;
        end if;
    else
        select array_agg(case when f[1] = '' then null
                              when f[1] like '"%' then replace(replace(substr(f[1], 2, length(f[1]) - 2), '""', '"'), '\\', '\')
                              else f[1] end order by n)
          into _plain
          from regexp_matches(',' || substr(i_row::text, 2, length(i_row::text) - 2), ',("(?:[^"]|"")*"|[^,"]*)', 'g') with ordinality m (f, n);
        select array_agg(json_typeof(value) in ('number', 'boolean') order by n) into _bare
          from json_each(row_to_json(i_row)) with ordinality e (key, value, n);
    end if;
    select string_agg(case when p is null then i_job.jo_null
                           when i_job.jo_quote = '' or b and i_job.jo_strings then p
                           else i_job.jo_quote
                                || case when i_job.jo_escape = '' then p
                                        when i_job.jo_escape = i_job.jo_quote then replace(p, i_job.jo_quote, i_job.jo_escape || i_job.jo_quote)
                                        else replace(replace(p, i_job.jo_escape, i_job.jo_escape || i_job.jo_escape),
                                                     i_job.jo_quote, i_job.jo_escape || i_job.jo_quote) end
                                || i_job.jo_quote end, i_job.jo_delimiter order by n)
      into _line
      from unnest(_plain, _bare) with ordinality u (p, b, n);
    return _line;
end;
$$ language plpgsql stable set search_path = pg_catalog, pg_temp;

comment on function pgtq._job_row(pgtq.job, record, boolean) is 'Internal: a row that a job has returned, as text';
