create or replace function pgtq._run_taken(i_row pgtq.delay)
returns void
as $$
-- Goes on with a schedule of which a run was taken out of the delay store by hand, and has come to its
-- end with that: it was cancelled, or fired.  One that waited to be tried again had its next run planned
-- when it became due.
begin
    if i_row.ev_schedule is null or i_row.ev_run is null then
        return;
    end if;
    if i_row.ev_retry is null then
        i_row := pgtq._plan_run(i_row, true);
    end if;
    if i_row.ev_timer is not null then
        perform pgtq._end_run(i_row.ev_schedule, i_row.ev_run);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._run_taken(pgtq.delay) is 'Internal: go on with a schedule of which a run was taken by hand';
