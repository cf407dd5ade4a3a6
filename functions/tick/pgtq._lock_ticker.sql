create or replace function pgtq._lock_ticker(i_prefix text)
returns void
as $$
-- Makes this transaction the only one that writes ticks of a queue, until it ends.
--
-- The lock is one on the queue's (empty) parent table that stops neither writers nor
-- readers nor pg_dump.  An advisory lock would do as well, but any role could hold it.
begin
    execute format('lock table %s in share update exclusive mode', pgtq.quote_fqname(i_prefix));
end;
$$ language plpgsql;

comment on function pgtq._lock_ticker(text) is 'Internal: lock out other tickers of a queue';
