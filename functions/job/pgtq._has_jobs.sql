create or replace function pgtq._has_jobs(out here boolean, out remote boolean)
as $$
-- Are there jobs that are not done?  For the ticker, which starts the workers of both kinds.
begin
    here := exists (select from pgtq.job where jo_remote is null);
    remote := exists (select from pgtq.job where jo_remote is not null);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._has_jobs() is 'Internal: are there jobs that are not done';
