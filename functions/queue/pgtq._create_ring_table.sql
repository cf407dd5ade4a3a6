create or replace function pgtq._create_ring_table(i_queue_id integer, i_prefix text, i_event_seq text, i_n integer)
returns void
as $$
-- Adds table i_n to a queue's ring: the events, and the ticks that go with them.
--
-- The tables are only appended to and truncated, so pages are filled whole and there is
-- nothing for autovacuum to do.  The index on ev_txid finds batches; the one on ev_id finds the single event that
-- event_retry() wants, whatever the size of its batch.  The actions of timers are left out
-- of that: the executor, which consumes them, retries them in another way.
declare
    _event  text := pgtq.quote_fqname(i_prefix || '_' || i_n);
    _name   text := format('event_%s_%s', i_queue_id, i_n);
    _tick   text := format('tick_%s_%s', i_queue_id, i_n);
begin
    execute format('create table %s () inherits (%s)'
                   ' with (fillfactor = 100, autovacuum_enabled = off, toast.autovacuum_enabled = off)',
                   _event, pgtq.quote_fqname(i_prefix));
    execute format('alter table %s alter column ev_id set default nextval(%L)', _event, i_event_seq);
    execute format('create index %I on %s (ev_txid)', _name || '_txid_idx', _event);
    execute format('create index %I on %s (ev_id) where ev_attempts is null', _name || '_id_idx', _event);
    execute format('comment on table %s is %L', _event, 'Events; a table of the ring that the rotation truncates');

    execute format('create table pgtq.%I (constraint %I primary key (tick_id)) inherits (pgtq.tick)'
                   ' with (fillfactor = 100, autovacuum_enabled = off)',
                   _tick, _tick || '_pkey');
    execute format('comment on table pgtq.%I is %L', _tick, 'Ticks; truncated together with the events of the same number');
end;
$$ language plpgsql;

comment on function pgtq._create_ring_table(integer, text, text, integer) is 'Internal: add a table to the ring of a queue';
