create or replace function pgtq.adopt()
returns integer
as $$
-- Makes the queues and jobs of a copied database its own: of a restored dump, of a database made from
-- a template, after pg_upgrade.  The ticker does this by itself, unless pgtq.on_clone is "pause".
--
-- Returns how many queues were adopted.
-- Writes: everything.
--
-- Events and ticks are ordered by transaction ids, and here those are of another life.  So
-- what is not delivered yet enters again under a transaction of this one, behind a new first
-- tick, and so does what waits in the delay store.  In another server roles have other oids:
-- they are found by their names; one that does not exist here runs nothing.  After that, and not before, jobs are
-- settled: what is noted of them has the new oids.
declare
    _q      pgtq.queue;
    _from   text;
    _count  integer := 0;
begin
    perform pgtq._require_read_committed('pgtq.adopt');
    lock table pgtq.delay in share update exclusive mode;               -- the mover's
    lock table pgtq.generation in share update exclusive mode;          -- and the compactor's
    select h.home into _from
      from (select queue_home as home from pgtq.queue union all select jo_home from pgtq.job) h where h.home <> pgtq._home() limit 1;
    perform pgtq._adopt_generations();
    for _q in select * from pgtq.queue where queue_home <> pgtq._home() order by queue_id for update loop
        perform pgtq._adopt_queue(_q);
        _count := _count + 1;
    end loop;
    perform pgtq._adopt_roles(_from);
    perform pgtq._adopt_jobs();
    if _count > 0 then
        perform pgtq._append_move((select coalesce(max(pos_n), 0) + 1 from pgtq.position where pos_sub = -1), null, '-infinity', null);
    end if;
    return _count;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.adopt() is 'Make the queues of a copied database its own; how many';
