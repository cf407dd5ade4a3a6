create or replace function pgtq._move_due(in i_limit integer, out moved integer, out queue_ids integer[])
-- Moves what is due from the delay store into the queues: deletes each row and inserts its
-- event, in the order of due times.  To be called in a transaction of its own; one mover at
-- a time, the others wait.  Under REPEATABLE READ it does nothing.
--
-- Parameters: i_limit is how many to move at the most.
-- Returns how many were moved, with runs of schedules that were put off or are jobs now; and the queues that got some.
-- Writes: the delay store, event tables, the position log.
--
-- Where to look is told by what the last move has left in the position log: a snapshot S,
-- a horizon D, and a list of late ones.  All rows that S sees and that are due by D have
-- left the store, but for those that the transactions of the list had locked (a cancel that
-- was open when the time came, or a copy in the making).  So now there may be due
--
--   a. rows due after D and by now;
--   b. rows due by D that S does not see: committed late.  They are found by ev_txid, in the
--      way a batch is: all from S's xmax on, plus exact values for the transactions that were
--      running at S and have ended;
--   c. rows of late ones whose transaction has ended: a range of due times for each.
--
-- The new S is taken before the first look, so that what commits in between is looked for
-- again the next time.  Rows that are locked are skipped and become late ones.  No look walks
-- over rows that an earlier one has found dead, so a snapshot that is held somewhere, which
-- keeps dead rows in the indexes, costs nothing.  When the clock goes back, so does D.
--
-- In the C build the ticker moves what is for the executor a moment before it is due (see
-- pgtq.fetch_ahead): the executor runs nothing early.  "Now" in a. and c. is then that much later; what else
-- is found there stays, and D is before the first of that.
--
-- What waits for a queue that does not exist, or that comes from another database and is not
-- adopted yet, stays; see adopt().
--@c
as 'MODULE_PATHNAME', 'pgtq_move_due' language c cost 100;
--@pl
as $$
declare
    _now        constant timestamptz := pgtq._now();
    _began      constant timestamptz := clock_timestamp();
    _old        pgtq.position;
    _new        pgtq.position;
    _running    bigint[];                       -- late ones
    _tables     oid[] := array[]::oid[];        -- candidates: where they are
    _tids       tid[] := array[]::tid[];
    _last       timestamptz;
begin
    moved := 0;
    queue_ids := '{}';
    if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
        return;
    end if;
    lock table pgtq.delay in share update exclusive mode;
    _new.pos_snapshot := pgtq._tick_snapshot();
    select * into _old from pgtq.position where pos_sub = -1 order by pos_n desc limit 1;
    _old.pos_horizon := coalesce(_old.pos_horizon, '-infinity');
    _old.pos_late := coalesce(_old.pos_late, '{}');

    _running := pgtq._still_late(_old.pos_late, _now);
    select coalesce(array_agg(c.tableoid), _tables), coalesce(array_agg(c.ctid), _tids), coalesce(array_agg(distinct c.dl_queue), queue_ids), max(c.dl_due)
      into _tables, _tids, queue_ids, _last
      from pgtq._due_rows(_old, _running, _now, i_limit) c;
    if cardinality(_tids) > 0 then
        select coalesce(sum(pgtq._move_rows(q, _tables, _tids)), 0) into moved from unnest(queue_ids) q;
    end if;

    -- what has been looked at: all, or as far as the limit let us
    _new.pos_horizon := _now;
    if cardinality(_tids) = i_limit then
        _new.pos_horizon := greatest(_old.pos_horizon, _last - interval '1 microsecond');
        if _last <= _old.pos_horizon then
            return;                     -- not even b. and c. are done
        end if;
    end if;
    _new.pos_late := _running || pgtq._locked_rows(_tables, _tids);
    if moved > 0 or _new.pos_late <> _old.pos_late
        or clock_timestamp() - _began > '5 milliseconds'        -- a long way: do not go it again
    then
        perform pgtq._append_move(coalesce(_old.pos_n, 0) + 1, _new.pos_snapshot, _new.pos_horizon, _new.pos_late);
    end if;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;
--@end

comment on function pgtq._move_due(integer) is 'Internal: move what is due from the delay store into the queues';
