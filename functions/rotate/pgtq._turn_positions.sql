create or replace function pgtq._turn_positions()
returns integer
as $$
-- Turns the ring of the position log, see structure/position.sql.
--
-- Returns 1 if the ring moved on, else 0.
-- Writes: the position log.
declare
    _cur        integer := pg_sequence_last_value('pgtq.position_cur_seq');
    _free       integer;
    _subs       integer[];
begin
    perform pgtq._require_read_committed('pgtq.maint_rotate_tables_step2');
    begin
        lock table pgtq.subscriber in share update exclusive mode;      -- one at a time
    exception
        when lock_not_available then
            return 0;
    end;

    if pgtq._positions_due() then
        -- a table that was left is needed until the last positions in it have copies
        _free := pgtq._reclaim_ring('position',
            'select exists (select from (select sub_id from pgtq.subscriber union all select -1) s'
            ' where (select max(pos_n) from pgtq.position where pos_sub = s.sub_id and pos_table = %1$s)'
            ' > (select coalesce(max(pos_n), 0) from pgtq.position where pos_sub = s.sub_id and pos_table <> %1$s))');
        if _free is not null then
            _cur := _free;
            perform setval('pgtq.position_cur_seq', _cur);
            execute format('insert into pgtq.position_%s (pos_sub, pos_n) values (0, 1)', _cur);
        end if;
    end if;

    -- Copy the last positions that are not in the current table.  Lock the subscribers, then
    -- look, in a new statement: a copy that is not the last position would be believed by an
    -- older snapshot.  Who is just appending is left for the next time.
    select array_agg(sub_id) into _subs
      from (select sub_id from pgtq.subscriber s
             where sub_id = any (pgtq._uncopied_positions()) for update skip locked) l;
    if -1 = any (pgtq._uncopied_positions()) then
        begin
            lock table pgtq.delay in share update exclusive mode;       -- the mover's
            _subs := _subs || -1;
        exception
            when lock_not_available then
                null;
        end;
    end if;
    execute format(
        'insert into pgtq.position_%s (pos_sub, pos_n, pos_time, pos_last_tick, pos_batch, pos_next_tick, pos_snapshot, pos_horizon, pos_late)'
        ' select p.pos_sub, p.pos_n, p.pos_time, p.pos_last_tick, p.pos_batch, p.pos_next_tick, p.pos_snapshot, p.pos_horizon, p.pos_late'
        ' from unnest($1) s (sub_id), lateral (select * from pgtq.position'
        ' where pos_sub = s.sub_id order by pos_n desc limit 1) p'
        ' on conflict do nothing', _cur)
        using _subs;
    return (_free is not null)::integer;
end;
$$ language plpgsql;

comment on function pgtq._turn_positions() is 'Internal: turn the ring of the position log';
