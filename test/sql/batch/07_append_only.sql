-- Producing and consuming only appends: no row of positions, ticks or events is updated or
-- deleted, so that a snapshot held open somewhere costs nothing.
select plan(24);
set jit = off;
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q');
select pgtq.register_consumer('q', c) from unnest(array['a', 'b', 'c']) c;

-- what stands in every table that this is about
create function appended() returns table (name text, row_count bigint, pointers numeric, locked bigint) as $$
declare
    _table regclass;
begin
    for _table in
        select oid from pg_class where relnamespace = 'pgtq'::regnamespace and relkind = 'r'
           and relname ~ '^(position_[0-9]|tick_[0-9]+_[0-9]|event_[0-9]+_[0-9])$' order by relname
    loop
        -- a row that was deleted or updated leaves a line pointer, so the numbers have a gap
        return query execute format(
            'select %L, coalesce(sum(n), 0)::bigint, coalesce(sum(top), 0)::numeric, coalesce(sum(x), 0)::bigint from ('
            ' select count(*) as n, max((ctid::text::point)[1]) as top, count(*) filter (where xmax::text <> ''0'') as x'
            ' from only %s group by (ctid::text::point)[0]) p', _table::text, _table);
    end loop;
end;
$$ language plpgsql;
create function cycle(i_n integer) returns void as $$
begin
    perform pgtq.insert_event('q', 't', i_n::text);
    perform pgtq.next_batch('q', c), pgtq.next_batch('q', c) from unnest(array['a', 'b', 'c']) c;
    perform pgtq.batch_retry(current_batch, 3600) from pgtq.get_consumer_info('q', 'a') where current_batch is not null;
    perform pgtq.finish_batch(current_batch) from pgtq.get_consumer_info('q') where current_batch is not null;
end;
$$ language plpgsql;
do $$
begin
    for _i in 1 .. 200 loop
        perform cycle(_i);
        commit;
        perform pgtq.ticker('q');
        commit;
    end loop;
end
$$;
select cmp_ok((select sum(row_count) from appended() where name like '%position%'), '>=', 1190::numeric, 'positions were written');
select cmp_ok((select sum(row_count) from appended() where name like '%tick%'), '=', 201::numeric, 'ticks were written');
select cmp_ok((select sum(row_count) from appended() where name like '%event%'), '=', 200::numeric, 'events were written');
select is(pointers, row_count::numeric, 'only appended: ' || name) from appended();
select is(locked, 0::bigint, 'no row locked: ' || name) from appended();

-- the server's own count, of what one transaction adds to it
create view counts as
    select relname ~ '^(position|tick|event)_' as log, coalesce(sum(n_tup_ins), 0) as ins, coalesce(sum(n_tup_upd + n_tup_del), 0) as upd
      from pg_stat_xact_all_tables
     where schemaname = 'pgtq' and (relname ~ '^(position|tick|event)_' or relname in ('subscriber', 'consumer', 'queue')) group by 1;
begin;
create temp table before as select * from counts;
select cycle(201);
create temp table added as select log, a.ins - b.ins as ins, a.upd - b.upd as upd from counts a join before b using (log);
select is((select upd from added where log), 0::numeric, 'no update and no delete');
select cmp_ok((select ins from added where log), '>=', 7::numeric, 'but inserts');
select is((select upd from added where not log), 0::numeric, 'nor in the tables of queues and consumers');
commit;
select * from finish();
