-- queue_disable_insert under each session_replication_role.
begin;
select plan(18);
\ir ../common.psql
select pgtq.create_queue('q'), pgtq.create_queue('open');
select queue_event_seq as seq, queue_data_pfx as pfx from pgtq.queue where queue_name = 'q' \gset
select pgtq.set_queue_config('q', 'disable_insert', 'true');

create function refuses(i_role text) returns setof text as $$
begin
    perform set_config('session_replication_role', i_role, true);
    return next throws_ok($q$select pgtq.insert_event('q', 't', 'd')$q$, '55000', 'Insert into queue disallowed', i_role);
    return next throws_ok($q$select pgtq.insert_event('q', 't', 'd', '', '', '', '')$q$, '55000', 'Insert into queue disallowed', i_role || ', seven arguments');
    return next throws_ok($q$select pgtq.insert_event_raw('q', 1, now(), 1, 1, 't', 'd', '', '', '', '')$q$, '55000', 'Insert into queue disallowed', i_role || ', raw');
    return next throws_ok($q$select pgtq.current_event_table('q')$q$, '55000', 'Writing to queue disabled', i_role || ', current_event_table');
    return next lives_ok($q$select pgtq.insert_event('open', 't', 'd')$q$, i_role || ', another queue');
end;
$$ language plpgsql;
select * from refuses('origin');
select * from refuses('local');
select is((error_of($$select pgtq.insert_event('q', 't', 'd')$$))[3], 'Queue: q', 'the detail');
select is(pgtq.seq_getval(:'seq'), 7::bigint, 'each refused call has used up an id');

set local session_replication_role = replica;
select is(pgtq.insert_event('q', 't', 'replica'), 8::bigint, 'replica may');
select is(pgtq.insert_event_raw('q', 5, now(), null, null, 't', 'd', '', '', '', ''), 5::bigint, 'replica may, raw');
select is(pgtq.current_event_table('q'), :'pfx' || '_0', 'replica may, current_event_table');
select is((select count(*) from pgtq.event_template e where e.tableoid = (:'pfx' || '_0')::regclass), 2::bigint, 'and it is stored');

set local session_replication_role = origin;
select pgtq.set_queue_config('q', 'disable_insert', 'false');
select lives_ok($$select pgtq.insert_event('q', 't', 'd')$$, 'enabled again');
select lives_ok($$select pgtq.current_event_table('q')$$, 'enabled again, current_event_table');

select * from finish();
rollback;
