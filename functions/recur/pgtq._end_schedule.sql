create or replace function pgtq._end_schedule(i_row pgtq.delay, i_error text)
returns void
as $$
-- Notes that a schedule has had its last run, or that it cannot go on.
begin
    insert into pgtq.schedule_end values (i_row.ev_schedule, (i_row.ev_run).epoch, pgtq._now(), i_error);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._end_schedule(pgtq.delay, text) is 'Internal: note that a schedule has come to its end';
