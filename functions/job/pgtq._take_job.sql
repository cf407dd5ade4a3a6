create or replace function pgtq._take_job(i_role oid)
returns pgtq.job
as $$
-- The next job of a role, for run_jobs(), which is to begin when this is committed; nulls if there is none.
--
-- Two calls for one role take turns by a lock on its row in pgtq.role.  What was running in a process that is
-- not there any more, or is a later one with its number, or in this one, has lost its session.  (Who may not see
-- when another one began takes it for the same.)  Remote
-- jobs are not taken: they need the workers of the C build.
declare
    _job    pgtq.job;
    _id     bigint;
begin
    perform pgtq._require_read_committed('pgtq.run_jobs');
    if pgtq._executor_runs() then
        raise exception 'the job worker runs in this database'
            using errcode = 'object_in_use', hint = 'It runs jobs by itself.';
    end if;
    if exists (select from pgtq.job where jo_home <> pgtq._home()) and not pgtq._adopt_clone() then
        return null;
    end if;
    if not exists (select from pgtq.job
                    where jo_role = i_role and (jo_state = 0 and jo_due <= pgtq._now() and jo_remote is null or jo_state > 0)) then
        return null;                    -- a lock would cost a transaction id
    end if;
    perform from pgtq.role where ro_oid = i_role for update;
    for _id in
        select jo_id from pgtq.job
         where jo_role = i_role and jo_state > 0
           and (jo_pid = pg_backend_pid() or not exists (select from pg_stat_activity a
                                                                where a.pid = jo_pid and (a.backend_start > jo_started) is not true))
    loop
        perform pgtq._lost_job(_id);
    end loop;
    loop
        select * into _job from pgtq.job j
         where jo_role = i_role and jo_remote is null and jo_state = 0 and jo_due <= pgtq._now()
           and (jo_limit is null
                or (select count(*) from pgtq.job g where g.jo_role = i_role and g.jo_group = j.jo_group and g.jo_remote is null and g.jo_state > 0) < jo_limit)
           and (jo_pause is null or jo_expires < pgtq._now()
                or not exists (select from pgtq.history h
                                where h.hi_role = i_role and h.hi_group = j.jo_group and h.hi_finished > pgtq._now() - j.jo_pause
                                  and h.hi_started is not null and h.hi_remote is null))
         order by jo_priority desc, jo_due, jo_id limit 1 for update skip locked;
        exit when not found;
        if (select a.done from pgtq._advance_job(_job.jo_id, 2, pg_backend_pid()) a) then
            select * into _job from pgtq.job where jo_id = _job.jo_id;
            exit;
        end if;                         -- it had expired
    end loop;
    return _job;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq._take_job(oid) is 'Internal: begin the next job of a role';
