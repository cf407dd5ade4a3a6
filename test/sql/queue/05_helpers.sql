-- Small functions: quote_fqname, seq_getval, seq_setval, version, tune_storage, grant_perms, upgrade_schema.
begin;
select plan(46);

select is(pgtq.quote_fqname(name), quoted, 'quote_fqname ' || name)
  from (values ('tbl', 'public.tbl'), ('s.t', 's.t'), ('My.Tbl', '"My"."Tbl"'), ('s.a.b', 's."a.b"'),
               ('a"b.c d', '"a""b"."c d"'), ('select.table', '"select"."table"'), ('.x', '"".x'),
               ('схема.т', '"схема"."т"'), ('t; drop table x', 'public."t; drop table x"')) v (name, quoted);
select is(pgtq.quote_fqname(null), null, 'quote_fqname null');

create sequence seq;
create sequence "Odd Seq";
select is(pgtq.seq_getval('seq'), 1::bigint, 'seq_getval: last_value');
select is(pgtq.seq_getval('public.Odd Seq'), 1::bigint, 'seq_getval: a name that needs quotes');
select is(pgtq.seq_setval('public.seq', 42), 42::bigint, 'seq_setval goes up');
select is(pgtq.seq_getval('seq'), 42::bigint, 'seq_getval sees it');
select is(nextval('seq'), 43::bigint, 'nextval is after it');
select is(pgtq.seq_getval('seq'), 43::bigint, 'and seen');
select is(pgtq.seq_getval('seq'), 43::bigint, 'seq_getval uses up nothing');
select is(pgtq.seq_setval('seq', 10), 43::bigint, 'seq_setval never goes back');
select is(nextval('seq'), 44::bigint, 'really not');
select is(pgtq.seq_setval('seq', 44), 44::bigint, 'seq_setval to the same');
select is(pgtq.seq_getval(null), null, 'seq_getval null');
select is(pgtq.seq_setval(null, 1), null, 'seq_setval null');
select is(pgtq.seq_setval('seq', null), null, 'seq_setval to null');
select throws_ok($$select pgtq.seq_getval('no.seq')$$, '42P01', null, 'seq_getval: no sequence');

-- version: pgtq.control says it, and so does the extension, where there is one
\set control `sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" ../../../pgtq.control`
select is(pgtq.version(), :'control', 'version() is that of pgtq.control');
select is(pgtq.version(), coalesce((select extversion from pg_extension where extname = 'pgtq'), :'control'),
          'version() is that of the extension');

-- tune_storage
select pgtq.create_queue('q');
select queue_id as id, queue_data_pfx as pfx from pgtq.queue \gset
select is(pgtq.tune_storage('none'), 0, 'tune_storage: no such queue');
select is(pgtq.tune_storage(null), null, 'tune_storage null');
select set_eq(format($$select relname::text, reloptions @> '{fillfactor=100,autovacuum_enabled=off}' from pg_class
                 where relname ~ '^(event|tick)_%s_[0-9]$' and relkind = 'r'$$, :id),
              format($$select x || n as name, true as tuned from unnest(array['event_%1$s_', 'tick_%1$s_']) x, generate_series(0, 2) n$$, :id),
              'create_queue has tuned the tables already');
select format('alter table pgtq.event_%1$s_1 reset (fillfactor, autovacuum_enabled)', :id) \gexec
select format('alter table pgtq.tick_%1$s_2 reset (fillfactor, autovacuum_enabled)', :id) \gexec
select is(pgtq.tune_storage('q'), 1, 'tune_storage');
select ok(reloptions @> '{fillfactor=100,autovacuum_enabled=off}', relname || ' is tuned again')
  from pg_class where oid in (format('pgtq.event_%s_1', :id)::regclass, format('pgtq.tick_%s_2', :id)::regclass)
 order by relname;

-- grant_perms copies the privileges of the templates
create role pgtq_test_helpers;
select throws_ok($$select pgtq.grant_perms('none')$$, '42704', 'Queue not found', 'grant_perms: no such queue');
grant select, insert on pgtq.event_template to pgtq_test_helpers;
grant select on pgtq.tick to pgtq_test_helpers;
select ok(not has_table_privilege('pgtq_test_helpers', :'pfx' || '_0', 'insert'), 'a grant on the template alone is no grant');
select is(pgtq.grant_perms('q'), 1, 'grant_perms');
select ok(has_table_privilege('pgtq_test_helpers', :'pfx' || suffix, 'select')
          and has_table_privilege('pgtq_test_helpers', :'pfx' || suffix, 'insert')
          and not has_table_privilege('pgtq_test_helpers', :'pfx' || suffix, 'update'),
          'events' || suffix || ' has them') from unnest(array['', '_0', '_1', '_2']) suffix;
select ok(has_table_privilege('pgtq_test_helpers', format('pgtq.tick_%s_%s', :id, n), 'select')
          and not has_table_privilege('pgtq_test_helpers', format('pgtq.tick_%s_%s', :id, n), 'insert'),
          'ticks have them: ' || n) from generate_series(0, 2) n;
select pgtq.create_queue('later');
select ok(has_table_privilege('pgtq_test_helpers', queue_data_pfx || '_2', 'insert'), 'a later queue has them at once')
  from pgtq.queue where queue_name = 'later';

select is(pgtq.upgrade_schema(), 0, 'upgrade_schema: all roles are there');
select ok(pg_has_role('pgtq_admin', role, 'member'), 'pgtq_admin is a ' || role)
  from unnest(array['pgtq_reader', 'pgtq_writer']) role;

select * from finish();
rollback;
