create or replace function pgtq.tune_storage(i_queue_name text)
returns integer
as $$
-- Sets the storage parameters of a queue's tables: they are only appended to and truncated,
-- so pages are filled whole, and there is nothing for autovacuum to do.
--
-- Returns 1, or 0 if there is no such queue.
declare
    _q      pgtq.queue;
begin
    select * into _q from pgtq.queue where queue_name = i_queue_name;
    if not found then
        return 0;
    end if;
    for _n in 0 .. _q.queue_ntables - 1 loop
        execute format('alter table %s set (fillfactor = 100, autovacuum_enabled = off, toast.autovacuum_enabled = off)',
                       pgtq.quote_fqname(_q.queue_data_pfx || '_' || _n));
        execute format('alter table pgtq.%I set (fillfactor = 100, autovacuum_enabled = off)',
                       format('tick_%s_%s', _q.queue_id, _n));
    end loop;
    return 1;
end;
$$ language plpgsql strict security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.tune_storage(text) is 'Set the storage parameters of the tables of a queue';
