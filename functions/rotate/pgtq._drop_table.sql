create or replace function pgtq._drop_table(i_queue_name text)
returns void
as $$
-- Drops the last table of a queue's ring, which is not the current one, if it is empty: it
-- is locked first and looked at then, since a writer may have been in it.
--
-- It was not written to for a rotation period at least, and has nothing to read.  A call
-- that has just listed the tables of the ring and finds one gone gets an error, with nothing
-- lost; the C functions skip it.
declare
    _q      pgtq.queue;
    _tables text;
begin
    select * into strict _q from pgtq.queue where queue_name = i_queue_name;
    _tables := format('pgtq.tick_%s_%s, %s', _q.queue_id, _q.queue_ntables - 1,
                      pgtq.quote_fqname(_q.queue_data_pfx || '_' || (_q.queue_ntables - 1)));
    begin
        execute format('lock table %s in access exclusive mode', _tables);
    exception
        when lock_not_available then
            return;             -- next time
    end;
    if pgtq._table_state(_q.queue_id, _q.queue_data_pfx, _q.queue_ntables - 1) = 'used' then
        return;
    end if;
    execute format('drop table %s', _tables);
    update pgtq.queue set queue_ntables = queue_ntables - 1 where queue_id = _q.queue_id;
end;
$$ language plpgsql;

comment on function pgtq._drop_table(text) is 'Internal: drop the last table of the ring of a queue';
