create or replace function pgtq.maint_rotate_tables_step1(i_queue_name text)
returns integer
as $$
-- Rotates the tables of a queue, if its rotation period is over: moves on to an empty
-- table, and truncates those that every consumer is past.
--
-- Returns 1 if it should be called again at once, in a new transaction; else 0.
-- Writes: pgtq.queue, the queue's sequence of the current table; truncates, adds or drops
-- tables of its ring.
--
-- Tables are truncated strictly in the order of their age.  How far back a consumer can be
-- moved after that, queue_first_tick says.  When no table is
-- empty:
--   - one can be truncated: do it now, move on to it in the next call
--   - a consumer is not past the oldest: stay; events go on into the current table
--   - somebody locks the oldest (pg_dump, a writer that does not commit, a prepared
--     transaction): add a table.  It is dropped again when the ring has two empty ones.
--
-- Moving on takes effect at once for all writers, even if this transaction is rolled back;
-- that is why the table must be empty already.  Locks are waited for 100 ms each: a reader
-- passes in that time, and what waits behind us is not kept for long.
declare
    _q          pgtq.queue;
    _seq        regclass;
    _cur        integer;
    _free       integer[];
    _used       integer[];
    _locked     boolean;
    _n          integer;
    _outcome    text;
    _reclaimed  boolean := false;
begin
    perform pgtq._require_read_committed('pgtq.maint_rotate_tables_step1');
    begin
        select * into _q from pgtq.queue
         where queue_name = i_queue_name
           and queue_switch_time + queue_rotation_period < clock_timestamp()
           for update;
    exception
        when lock_not_available then
            return 0;           -- another rotation, or a consumer that is registering
    end;
    if _q.queue_id is null then
        return 0;
    end if;
    _seq := pgtq.quote_fqname(_q.queue_data_pfx || '_cur_seq')::regclass;
    _cur := pg_sequence_last_value(_seq);

    -- the empty tables: first the usual three in the order of the ring, then added ones
    select array_agg(n order by n > 2, (n - _cur + _q.queue_ntables) % _q.queue_ntables) filter (where state = 'free'),
           array_agg(n order by pgtq._newest_tick(_q.queue_id, n) nulls first) filter (where state = 'used'),
           bool_or(state = 'locked')
      into _free, _used, _locked
      from generate_series(0, _q.queue_ntables - 1) n, pgtq._table_state(_q.queue_id, _q.queue_data_pfx, n) state
     where n <> _cur;

    -- move on; but a table gets at least one tick, which then tells its age
    if _free is not null
        and (pgtq._table_state(_q.queue_id, _q.queue_data_pfx, _cur) <> 'used'
             or pgtq._newest_tick(_q.queue_id, _cur) is not null)
    then
        _cur := _free[1];
        perform setval(_seq, _cur);
        update pgtq.queue
           set queue_cur_table = _cur,
               queue_switch_time = clock_timestamp(),
               queue_switch_step1 = pg_current_xact_id()::text::bigint,
               queue_switch_step2 = null
         where queue_id = _q.queue_id;
    end if;

    -- truncate, oldest first
    if not _locked then
        foreach _n in array coalesce(_used, '{}') loop
            continue when _n = _cur;
            _outcome := pgtq._reclaim_table(_q.queue_id, _q.queue_data_pfx, _n);
            _locked := (_outcome = 'locked');
            exit when _outcome <> 'done';
            _reclaimed := true;
        end loop;
    end if;

    if _free is null then
        return (_reclaimed or _locked and pgtq._add_table(i_queue_name))::integer;
    end if;
    if _q.queue_ntables > 3 and _q.queue_ntables - 1 = any (_free[2:]) then
        perform pgtq._drop_table(i_queue_name);
    end if;
    return 0;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off set lock_timeout = '100ms';

comment on function pgtq.maint_rotate_tables_step1(text) is 'Rotate the tables of a queue if its rotation period is over';
