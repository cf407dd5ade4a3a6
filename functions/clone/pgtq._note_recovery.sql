create or replace function pgtq._note_recovery()
returns void
as $$
-- Called before a move: has this server been recovered from a backup, or promoted, since the
-- last one?  It then writes on another timeline.  If pgtq.on_recovery says "skip", actions that are overdue now
-- get a time of expiry that has passed: they leave the store as always, and the executor notes
-- that they are expired.
-- The ticker calls it when it starts, which is after the recovery.
--
-- Writes: pgtq.timeline, the delay store.
--
-- A copy (see adopt()) comes from another server, whose timelines mean nothing here.
declare
    _timeline   text;
    _old        pgtq.timeline;
    _n          integer;
begin
    _timeline := substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
    if exists (select from pgtq.timeline where ti_home = pgtq._home() and ti_timeline = _timeline) then
        return;
    end if;
    select * into _old from pgtq.timeline for update;
    if _old.ti_home = pgtq._home() and _old.ti_timeline <> ''
        and nullif(current_setting('pgtq.on_recovery', true), '') = 'skip'
    then
        for _n in select gen_n from pgtq.generation order by gen_n loop
            execute format('update pgtq.delay_%s set ev_expires = ''-infinity'''
                           ' where dl_due <= pgtq._now() and ev_attempts is not null', _n);
        end loop;
    end if;
    update pgtq.timeline set ti_home = pgtq._home(), ti_timeline = _timeline;
exception
    when feature_not_supported or insufficient_privilege then     -- a hosted server that does not tell of its WAL
        null;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set jit = off;

comment on function pgtq._note_recovery() is 'Internal: after a recovery, skip what is overdue, if pgtq.on_recovery says so';
