-- Who may do what: exactly structure/grants.ini, and PUBLIC nothing.
begin;
select plan(37);
create temp table ini (n serial, line text);
\copy ini (line) from program 'cat ../../../structure/grants.ini' (format csv, delimiter E'\x01', quote E'\x02')
create temp table allowed as
    select kind, role, privilege, name, head[2] as build from (
        select n, trim(regexp_replace(line, '#.*', '')) as name,
               (select regexp_match(h.line, '^\[(\w+) (?:([\w,]+) )?(\w+)\]') from ini h where h.n < i.n and h.line ~ '^\[' order by h.n desc limit 1) as head
          from ini i where line !~ '^\[') l,
        lateral (select head[1] as kind, head[3] as role) h,
        lateral unnest(case when kind = 'functions' then array['EXECUTE'] else string_to_array(upper(head[2]), ',') end) privilege
     where name <> '';
select cmp_ok((select count(*) from allowed), '>', 60::bigint, 'grants.ini was read');

-- functions
select set_eq($$select distinct a.grantee::regrole::text, a.privilege_type, p.oid::regprocedure::oid
                  from pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) a
                 where pronamespace = 'pgtq'::regnamespace and a.grantee <> p.proowner$$,
              $$select role, privilege, ('pgtq.' || name)::regprocedure::oid from allowed where kind = 'functions'
                   and (build is null or build = (select case lanname when 'c' then 'c' else 'pl' end from pg_language l join pg_proc p on p.prolang = l.oid
                                                   where p.oid = 'pgtq.insert_event(text,text,text)'::regprocedure))$$,
              'functions: what grants.ini says and no more');
-- tables and sequences that are no queue's
select set_eq($$select a.grantee::regrole::text, a.privilege_type, c.oid
                  from pg_class c, aclexplode(relacl) a where relnamespace = 'pgtq'::regnamespace and a.grantee <> c.relowner$$,
              $$select distinct role, trim(privilege), ('pgtq.' || name)::regclass::oid from allowed where kind in ('tables', 'sequences')$$,
              'tables and sequences: what grants.ini says and no more');
select set_eq($$select a.grantee::regrole::text, a.privilege_type, attrelid::regclass::text, attname::text
                  from pg_attribute join pg_class c on c.oid = attrelid, aclexplode(attacl) a where relnamespace = 'pgtq'::regnamespace$$,
              $$select head[3], upper(head[1]), 'pgtq.' || head[2], trim(regexp_replace(line, '#.*', '')) from ini i,
                       lateral (select regexp_match(h.line, '^\[columns (\w+) (\w+) (\w+)\]') as head from ini h where h.n < i.n and h.line ~ '^\[' order by h.n desc limit 1) h
                 where line ~ '^\w' and head is not null$$, 'columns: what grants.ini says and no more');
select set_eq($$select a.grantee::regrole::text, a.privilege_type from pg_namespace n, aclexplode(nspacl) a
                 where nspname = 'pgtq' and a.grantee <> n.nspowner$$,
              $$values ('pgtq_reader', 'USAGE'), ('pgtq_writer', 'USAGE'), ('pgtq_admin', 'USAGE')$$, 'the schema');
select is_empty($$select p.oid::regprocedure from pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) a
                   where pronamespace = 'pgtq'::regnamespace and a.grantee = 0$$, 'PUBLIC may call nothing');
select is_empty($$select c.oid::regclass from pg_class c, aclexplode(relacl) a where relnamespace = 'pgtq'::regnamespace and a.grantee = 0$$,
                'PUBLIC may see nothing');
select is_empty($$select p.oid::regprocedure from pg_proc p where pronamespace = 'pgtq'::regnamespace and prosecdef
                     and not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false)$$, 'SECURITY DEFINER with a fixed search_path');

-- a queue's tables
select pgtq.create_queue('q');
select queue_id as id from pgtq.queue \gset
select set_eq(format($$select a.grantee::regrole::text, a.privilege_type, c.relname::text from pg_class c, aclexplode(relacl) a
                 where relnamespace = 'pgtq'::regnamespace and relkind = 'r' and a.grantee <> c.relowner and relname ~ '_%s(_|$)'
                   and relname !~ '^position'$$, :id),
              format($$select 'pgtq_reader' as r, 'SELECT' as p, t from unnest(array['event_%1$s', 'event_%1$s_0', 'event_%1$s_1', 'event_%1$s_2', 'tick_%1$s_0', 'tick_%1$s_1', 'tick_%1$s_2']) t
                       union all select 'pgtq_admin', p, t from unnest(array['SELECT', 'TRUNCATE']) p, unnest(array['event_%1$s', 'event_%1$s_0', 'event_%1$s_1', 'event_%1$s_2']) t$$, :id),
              'the tables of a queue');

-- what the API's description says, by name
select is(has_function_privilege(role, 'pgtq.' || f, 'execute'), may, format('%s %s %s', role, case when may then 'may' else 'may not' end, f))
  from (values
    ('pgtq_reader', 'next_batch(text, text)', true), ('pgtq_reader', 'force_tick(text)', true), ('pgtq_reader', 'register_consumer(text, text)', true),
    ('pgtq_reader', 'insert_event(text, text, text)', false), ('pgtq_reader', 'ticker()', false), ('pgtq_reader', 'create_queue(text)', false),
    ('pgtq_reader', 'drop_queue(text, boolean)', false), ('pgtq_reader', 'set_queue_config(text, text, text)', false),
    ('pgtq_reader', 'event_retry_raw(text, text, timestamptz, bigint, timestamptz, integer, text, text, text, text, text, text)', false),
    ('pgtq_writer', 'insert_event(text, text, text)', true), ('pgtq_writer', 'insert_event(text, text, text, text, text, text, text)', true),
    ('pgtq_writer', 'insert_event_raw(text, bigint, timestamptz, integer, integer, text, text, text, text, text, text)', false),
    ('pgtq_writer', 'next_batch(text, text)', false), ('pgtq_writer', 'get_batch_events(bigint)', false), ('pgtq_writer', 'finish_batch(bigint)', false),
    ('pgtq_writer', 'register_consumer(text, text)', false), ('pgtq_writer', 'ticker(text)', false), ('pgtq_writer', 'create_queue(text)', false),
    ('pgtq_writer', 'maint_rotate_tables_step1(text)', false), ('pgtq_writer', 'force_tick(text)', false),
    ('pgtq_admin', 'insert_event(text, text, text)', true), ('pgtq_admin', 'next_batch(text, text)', true), ('pgtq_admin', 'ticker()', true),
    ('pgtq_admin', 'create_queue(text)', true), ('pgtq_admin', 'maint_rotate_tables_step2()', true)) v (role, f, may);
select ok(not rolsuper and not rolcanlogin and not rolcreaterole and not rolbypassrls, rolname || ' is an ordinary role')
  from pg_roles where rolname in ('pgtq_reader', 'pgtq_writer', 'pgtq_admin') order by rolname;

select * from finish();
rollback;
