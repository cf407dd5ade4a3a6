create or replace function pgtq._create_generation()
returns integer
as $$
-- Adds a table to the ring of the delay store, empty and free.  Returns its number.
--
-- autovacuum has nothing to do here: rows die in place, and go by TRUNCATE.
declare
    _n      integer := (select count(*) from pgtq.generation);
    _name   text := 'delay_' || _n;
begin
    execute format('create table pgtq.%I () inherits (pgtq.delay)'
                   ' with (fillfactor = 100, autovacuum_enabled = off, toast.autovacuum_enabled = off)', _name);
    execute format('create index %I on pgtq.%I (dl_due)', _name || '_due_idx', _name);
    execute format('create index %I on pgtq.%I (ev_txid, dl_due)', _name || '_txid_idx', _name);
    execute format('create index %I on pgtq.%I (ev_timer)', _name || '_timer_idx', _name);
    execute format('create index %I on pgtq.%I (dl_queue, ev_key) where ev_key is not null', _name || '_key_idx', _name);
    execute format('create index %I on pgtq.%I (ev_schedule) where ev_schedule is not null', _name || '_schedule_idx', _name);
    execute format('create unique index %I on pgtq.%I (ev_owner, ev_id) where ev_owner is not null', _name || '_retry_idx', _name);
    execute format('comment on table pgtq.%I is %L', _name, 'A generation of the delay store');
    insert into pgtq.generation (gen_n) values (_n);
    return _n;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._create_generation() is 'Internal: add a table to the delay store';
