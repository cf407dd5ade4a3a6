create or replace function pgtq.cancel_running(timer_id bigint)
returns boolean
-- Stops a job, or the action of a timer, that runs just now: it fails with SQLSTATE 57014, and is not tried
-- again.  What a job has committed stays.  For the role that scheduled it, and for pgtq_admin.
--
-- Returns whether it was running.  An action that ends in this moment may end well.
--@c
as 'MODULE_PATHNAME', 'pgtq_cancel_running' language c strict;
--@pl
as $$
begin
    return timer_id is null;            -- never: there are no sessions
end;
$$ language plpgsql strict;
--@end

comment on function pgtq.cancel_running(bigint) is 'Stop a job, or the action of a timer, that runs now; false if it does not';
