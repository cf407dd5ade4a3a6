create or replace function pgtq._wake_at(i_due timestamptz)
returns void
-- Called by whoever has written an entry that is due at i_due: once the transaction has
-- committed, the database's ticker is woken if it meant to sleep longer than that.  (COMMIT
-- PREPARED wakes it by itself.)  Costs next to nothing; without a ticker it does nothing.
--@c
as 'MODULE_PATHNAME', 'pgtq_wake_at' language c strict;
--@pl
as $$
begin
    perform i_due;      -- there is nobody to wake
end;
$$ language plpgsql strict;
--@end

comment on function pgtq._wake_at(timestamptz) is 'Internal: after commit, wake the ticker if something is due before it would wake by itself';
