create or replace function pgtq._adopt_clone()
returns boolean
as $$
-- Called when a queue turns out to come from another database: adopts it, if pgtq.on_clone says
-- "run".  False if it says "pause".
--
-- In the PL build anybody can set it for his session; so what is set for the database is looked up.
begin
    if coalesce(nullif(current_setting('pgtq.on_clone', true), ''), 'run') = 'pause'
--@pl
        or exists (select from pg_db_role_setting s
                    where s.setrole = 0 and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
                      and 'pgtq.on_clone=pause' = any (s.setconfig))
--@end
    then
        raise warning 'this database is a copy of another one, and its queues are paused'
            using hint = 'If timers are to fire here, call pgtq.adopt().';
        return false;
    end if;
    perform pgtq.adopt();
    return true;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._adopt_clone() is 'Internal: adopt the queues of a copied database, or not';
