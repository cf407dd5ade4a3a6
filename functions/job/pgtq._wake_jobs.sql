create or replace function pgtq._wake_jobs(i_remote boolean)
returns void
-- Called by whoever has submitted a job or planned it anew: once the transaction has committed, the job
-- worker is told, or that of remote jobs.  (COMMIT PREPARED tells both.)
--@c
as 'MODULE_PATHNAME', 'pgtq_wake_jobs' language c;
--@pl
as $$
begin
    -- there is nobody to tell
end;
$$ language plpgsql;
--@end

comment on function pgtq._wake_jobs(boolean) is 'Internal: after commit, tell the job worker that there are jobs';
