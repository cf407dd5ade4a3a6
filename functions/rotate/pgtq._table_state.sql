create or replace function pgtq._table_state(variadic i_tables regclass[])
returns text
as $$
-- Tells of a table of a ring, or of several that belong together:
--
--   used   there are rows
--   locked somebody keeps us from looking
--   free   empty, for everybody: the ring may move on to it
--   new    empty, but only since this very transaction has created or truncated it
--
-- A ring must not move on to a new one.  Moving on is a setval(), which a rollback does not
-- undo, but the rollback would bring the old rows back, or take the table away.  A new table
-- is known by the ACCESS EXCLUSIVE lock that we hold on it.
declare
    _table  regclass;
    _used   boolean;
begin
    foreach _table in array i_tables loop
        begin
            execute format('select exists (select from %s)', _table) into _used;
        exception
            when lock_not_available then
                return 'locked';
        end;
        if _used then
            return 'used';
        end if;
    end loop;
    if exists (select from pg_locks
                where pid = pg_backend_pid() and locktype = 'relation' and granted
                  and database = (select oid from pg_database where datname = current_database())
                  and relation = any (i_tables) and mode = 'AccessExclusiveLock')
    then
        return 'new';
    end if;
    return 'free';
end;
$$ language plpgsql;

comment on function pgtq._table_state(regclass[]) is 'Internal: is a table of a ring used, locked, free, or new';

create or replace function pgtq._table_state(i_queue_id integer, i_prefix text, i_n integer)
returns text
as $$
-- The same for table i_n of a queue, with its events and ticks.
begin
    return pgtq._table_state(pgtq.quote_fqname(i_prefix || '_' || i_n)::regclass,
                             format('pgtq.tick_%s_%s', i_queue_id, i_n)::regclass);
end;
$$ language plpgsql;

comment on function pgtq._table_state(integer, text, integer) is 'Internal: is a table of the ring of a queue used, locked, free, or new';
