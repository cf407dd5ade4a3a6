create or replace function pgtq._run_statement(
    in i_sql text, in i_job pgtq.job, inout io_output text, inout io_cut boolean)
as $$
-- Runs a statement of a job and adds what it returns to io_output, up to the limit, and whole rows only; for
-- run_jobs(), as its caller.  Json is a list of rows for each statement that returns any; the outer brackets
-- come at the end.
--
-- Runs as the caller and must never be SECURITY DEFINER; so every name is qualified.
declare
    _row    record;
    _line   text;
    _first  boolean := true;
    _open   boolean := false;
    _json   constant boolean := i_job.jo_capture operator(pg_catalog.=) 'json';
begin
    if i_job.jo_capture is null then
        execute i_sql;
        return;
    end if;
    for _row in execute i_sql loop
        for _n in case when _first then 0 else 1 end .. 1 loop
            _line := pgtq._job_row(i_job, _row, _n operator(pg_catalog.=) 0);
            continue when _line is null or io_cut;
            if pg_catalog.octet_length(coalesce(io_output, '')) operator(pg_catalog.+) pg_catalog.octet_length(_line)
                operator(pg_catalog.+) 4 operator(pg_catalog.>) i_job.jo_output_limit
            then
                io_cut := true;
                continue;
            end if;
            io_output := case when _json then pg_catalog.concat(io_output, case when _open then ',' when io_output is null then '[' else ',[' end, _line)
                              else pg_catalog.concat(io_output operator(pg_catalog.||) E'\n', _line) end;
            _open := true;
        end loop;
        _first := false;
    end loop;
    if _json and (_open or not io_cut) then
        io_output := pg_catalog.concat(io_output, case when _open then ']' when io_output is null then '[]' else ',[]' end);
    end if;
exception
    when invalid_cursor_definition then
        execute i_sql;              -- it returns no rows; nothing was run yet
end;
$$ language plpgsql;

comment on function pgtq._run_statement(text, pgtq.job, text, boolean) is 'Internal: run a statement of a job and keep what it returns';
