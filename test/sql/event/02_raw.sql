-- insert_event_raw(): given and missing id, time, owner and retry count.
begin;
select plan(10);
select pgtq.create_queue('q');
select queue_event_seq as seq from pgtq.queue \gset

select is(pgtq.insert_event_raw('q', null, null, null, null, 'a', 'd', '1', '2', '3', '4'), 1::bigint, 'id and time are filled in');
select is(pgtq.insert_event_raw('q', 100, '2001-02-03 04:05:06+00', 7, 8, 'b', 'd', '1', '2', '3', '4'), 100::bigint, 'all is given');
select is(pgtq.seq_getval(:'seq'), 2::bigint, 'a given id uses up a value of the sequence, too');
select is(pgtq.insert_event_raw('q', 100, null, null, null, 'c', null, null, null, null, null), 100::bigint, 'the same id again');
select is(pgtq.insert_event_raw('q', -5, null, null, null, 'd', null, null, null, null, null), -5::bigint, 'a negative id');
select is(pgtq.insert_event_raw('q', 9223372036854775807, null, null, null, 'e', null, null, null, null, null),
          9223372036854775807, 'the highest id');
select is(pgtq.insert_event_raw('q', null, null, null, null, 'f', null, null, null, null, null), 6::bigint, 'the next of the sequence');
select is(pgtq.insert_event_raw(queue_name => 'q', ev_id => 50, ev_time => 'epoch', ev_owner => 1, ev_retry => 2,
                                ev_type => 'g', ev_data => 'x', ev_extra1 => '1', ev_extra2 => '2',
                                ev_extra3 => '3', ev_extra4 => '4'), 50::bigint, 'names of the parameters');
select results_eq(
    $$select ev_type, ev_id, ev_time, ev_owner, ev_retry, ev_data, ev_extra1, ev_extra2, ev_extra3, ev_extra4
        from pgtq.event_template order by ev_type$$,
    $$values ('a', 1::bigint, now(), null::integer, null::integer, 'd', '1', '2', '3', '4'),
             ('b', 100, timestamptz '2001-02-03 04:05:06+00', 7, 8, 'd', '1', '2', '3', '4'),
             ('c', 100, now(), null, null, null, null, null, null, null),
             ('d', -5, now(), null, null, null, null, null, null, null),
             ('e', 9223372036854775807, now(), null, null, null, null, null, null, null),
             ('f', 6, now(), null, null, null, null, null, null, null),
             ('g', 50, timestamptz 'epoch', 1, 2, 'x', '1', '2', '3', '4')$$, 'what is stored');
select is((select array_agg(distinct ev_txid) from pgtq.event_template), array[pg_current_xact_id()], 'ev_txid');

select * from finish();
rollback;
