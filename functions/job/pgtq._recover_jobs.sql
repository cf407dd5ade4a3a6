create or replace function pgtq._recover_jobs(i_remote boolean)
returns void
as $$
-- For the job worker, or that of remote jobs, when it begins, and no session or connection of a job is left: settles the jobs that had one, and
-- adopts a copied database, unless pgtq.on_clone says to wait for adopt().
declare
    _id     bigint;
begin
    if exists (select from pgtq.job where jo_home <> pgtq._home()) then
        perform pgtq._adopt_clone();
    end if;
    for _id in
        select jo_id from pgtq.job
         where jo_state > 0 and jo_home = pgtq._home() and (jo_remote is not null) = i_remote order by jo_id
    loop
        perform pgtq._lost_job(_id);
    end loop;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._recover_jobs(boolean) is 'Internal: settle the jobs that were running when the server or the job worker ended';
