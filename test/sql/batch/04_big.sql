-- Big batches, big values, and values in every script.
select plan(9);
\ir ../common.psql
select pgtq.create_queue('q'), always_tick('q'), pgtq.register_consumer('q', 'c');

-- 5000 events of one transaction
select count(pgtq.insert_event('q', 't', n::text)) from generate_series(1, 5000) n;
select pgtq.ticker('q');
select is(drain('q', 'c'), array(select n::text from generate_series(1, 5000) n), '5000 events of one transaction');

-- 5000 events of many transactions, ticked now and then
do $$
begin
    for _i in 1 .. 100 loop
        perform pgtq.insert_event('q', 't', n::text) from generate_series(_i * 50 - 49, _i * 50) n;
        commit;
        if _i % 30 = 0 then
            perform pgtq.ticker('q');
            commit;
        end if;
    end loop;
end
$$;
select pgtq.ticker('q');
select is(drain('q', 'c'), array(select n::text from generate_series(1, 5000) n), '5000 events of 100 transactions, in 4 batches');

-- 5000 events out of order
select count(pgtq.insert_event_raw('q', n, null, null, null, 't', n::text, repeat('x', 50), null, null, null)) from generate_series(5000, 1, -1) n;
select pgtq.ticker('q');
set work_mem = '64kB';
select is(drain('q', 'c'), array(select n::text from generate_series(1, 5000) n), '5000 events in the wrong order, sorted on disk');
reset work_mem;

-- 1 MB that does not compress, in each field
create temp table big as
    select array_agg(v order by k) as v from (
        select k, string_agg(md5(k || ' ' || n), '' order by n) as v from generate_series(1, 6) k, generate_series(1, 32768) n group by k) x;
select pgtq.insert_event('q', v[1], v[2], v[3], v[4], v[5], v[6]) from big;
select pgtq.insert_event('q', 'compresses', repeat('a', 10000000));
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select is((select array[ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4] = (select v from big)
             from pgtq.get_batch_events(:batch) limit 1), true, '1 MB in each field');
select ok((select ev_data = repeat('a', 10000000) from pgtq.get_batch_events(:batch) offset 1), '10 MB that compress');
select is((select length(ev_data) from pgtq.get_batch_cursor(:batch, 'cur', 1)), 1048576, 'through a cursor');
select is(pgtq.batch_retry(:batch, 0), 2, 'retried');
select pgtq.finish_batch(:batch);
select pgtq.ticker('q');        -- puts them back
select pgtq.ticker('q');
select is((select md5(string_agg(d, ',')) from unnest(drain('q', 'c')) d),
          (select md5(v[2] || ',' || repeat('a', 10000000)) from big), 'the same after a retry');

-- scripts
select pgtq.insert_event('q', 'Ελληνικά', 'Größe, 日本語, العربية, ' || U&'\+01F600', E'tab\tnewline\ncr\r', '''"\$$', ' ', '');
select pgtq.ticker('q');
select pgtq.next_batch('q', 'c') as batch \gset
select results_eq(format('select ev_type, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4 from pgtq.get_batch_events(%s)', :batch),
                  $$values ('Ελληνικά', 'Größe, 日本語, العربية, ' || U&'\+01F600', E'tab\tnewline\ncr\r', E'\'"\\\x24\x24', ' ', '')$$, 'every script');
select * from finish();
