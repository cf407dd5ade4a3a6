-- queue_per_tx_limit, and that refused calls use up an id.
select plan(37);
\ir ../common.psql
select pgtq.create_queue('q'), pgtq.create_queue('other');
select queue_event_seq as seq from pgtq.queue where queue_name = 'q' \gset
\set insert 'select pgtq.insert_event(''q'', ''t'', ''d'')'

-- 0 refuses all
select pgtq.set_queue_config('q', 'per_tx_limit', '0');
select throws_ok(:'insert', '54000', 'Queue ''q'' allows max 0 events from one TX', '0 refuses all');
select throws_ok($$select pgtq.insert_event('q', 't', 'd', '', '', '', '')$$, '54000',
                 'Queue ''q'' allows max 0 events from one TX', 'seven arguments');
select throws_ok($$select pgtq.insert_event_raw('q', 1, now(), 1, 1, 't', 'd', '', '', '', '')$$, '54000',
                 'Queue ''q'' allows max 0 events from one TX', 'raw');
select is(pgtq.seq_getval(:'seq'), 3::bigint, 'each refused call has used up an id');
select is((select count(*) from pgtq.event_template), 0::bigint, 'nothing was stored');

-- N
select pgtq.set_queue_config('q', 'per_tx_limit', '2');
begin;
select is(pgtq.insert_event('q', 't', 'd'), 4::bigint, 'the first of 2');
select is(pgtq.insert_event('q', 't', 'd'), 5::bigint, 'the second of 2');
select throws_ok(:'insert', '54000', 'Queue ''q'' allows max 2 events from one TX', 'the third of 2');
select throws_ok(:'insert', '54000', 'Queue ''q'' allows max 2 events from one TX', 'it stays so');
select is(pgtq.insert_event('other', 't', 'd'), 1::bigint, 'another queue has no such limit');
commit;
select is((select count(*) from pgtq.event_template), 3::bigint, 'what was allowed is stored');

-- a new transaction
begin;
select lives_ok(:'insert', 'a new transaction: first');
select lives_ok(:'insert', 'a new transaction: second');
select throws_ok(:'insert', '54000', null, 'a new transaction: third');
commit;
begin;
:insert;
:insert;
rollback;
begin;
select lives_ok(:'insert', 'after a rollback: first');
select lives_ok(:'insert', 'after a rollback: second');
select throws_ok(:'insert', '54000', null, 'after a rollback: third');
commit;

-- a rolled back savepoint takes its events out of the count
begin;
select lives_ok(:'insert', 'before the savepoint');
savepoint s;
:insert;
rollback to s;
select lives_ok(:'insert', 'a savepoint was rolled back: there is room again');
select throws_ok(:'insert', '54000', null, 'for one');
commit;
begin;
select lives_ok(:'insert', 'before the savepoint');
savepoint t;
:insert;
release t;
select throws_ok(:'insert', '54000', null, 'what was released counts');
commit;

-- one statement
select throws_ok($$select pgtq.insert_event('q', 't', n::text) from generate_series(1, 3) n$$, '54000', null,
                 'three in one statement');
select lives_ok($$select pgtq.insert_event('q', 't', n::text) from generate_series(1, 2) n$$, 'two in one statement');

-- all forms count together
begin;
select lives_ok($$select pgtq.insert_event('q', 't', 'd', '', '', '', '')$$, 'seven arguments count');
select lives_ok($$select pgtq.insert_event_raw('q', 1, now(), 1, 1, 't', 'd', '', '', '', '')$$, 'raw counts');
select throws_ok(:'insert', '54000', null, 'with three arguments it is one too many');
commit;

-- two queues with a limit are counted apart
select pgtq.set_queue_config('other', 'per_tx_limit', '1');
begin;
select lives_ok(:'insert', 'q: first');
select lives_ok($$select pgtq.insert_event('other', 't', 'd')$$, 'other: first');
select throws_ok($$select pgtq.insert_event('other', 't', 'd')$$, '54000', 'Queue ''other'' allows max 1 events from one TX', 'other: second');
select lives_ok(:'insert', 'q: second');
select throws_ok(:'insert', '54000', 'Queue ''q'' allows max 2 events from one TX', 'q: third');
commit;

-- null is no limit; a limit can be set in mid-transaction
select pgtq.set_queue_config('q', 'per_tx_limit', null);
begin;
select is((select count(pgtq.insert_event('q', 't', n::text)) from generate_series(1, 1000) n), 1000::bigint, 'null is no limit');
commit;
begin;
select pgtq.set_queue_config('q', 'per_tx_limit', '1');
select lives_ok(:'insert', 'a limit set in this transaction: first');
select throws_ok(:'insert', '54000', null, 'a limit set in this transaction: second');
select pgtq.set_queue_config('q', 'per_tx_limit', '2');
select lives_ok(:'insert', 'a limit raised in this transaction');
select throws_ok(:'insert', '54000', null, 'and not more');
commit;

select * from finish();
