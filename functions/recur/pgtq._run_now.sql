create or replace function pgtq._run_now(i_role oid, i_name text, i_owner text)
returns bigint
as $$
-- Runs a schedule now for a role, see run_now().
declare
    _s      pgtq.schedule := pgtq._lock_schedule(i_role, i_name, i_owner);
    _row    pgtq.delay;
    _job    pgtq.job;
    _now    constant timestamptz := pgtq._now();
begin
    if _s.sc_id is null then
        raise exception 'schedule "%" does not exist', i_name using errcode = 'undefined_object';
    end if;
    if _s.sc_paused or exists (select from pgtq.schedule_end where se_schedule = _s.sc_id and se_epoch = _s.sc_epoch) then
        if not _s.sc_job then
            return pgtq._store_run(_s, null, null, _now);
        end if;
        _job := pgtq._schedule_job(_s, _now);
        _job.jo_id := nextval('pgtq.timer_id_seq');
        perform pgtq._store_job(_job);
        return _job.jo_id;
    end if;
    _row := pgtq._take_run(_s);
    if _row.ev_timer is null then
        return null;
    end if;
    return pgtq._store_run(_s, (_row.ev_run).n, _now, _now, _row.ev_timer);
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._run_now(oid, text, text) is 'Internal: run a schedule now';
