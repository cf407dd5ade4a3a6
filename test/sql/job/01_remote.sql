-- Where a job may be sent to: what is refused when it is submitted.  That it is sent, test_remote_jobs.py tells.
\ir ../common.psql
\ir ../roles/setup.psql
set client_min_messages = warning;
select plan(31);
create function refused(i_remote text) returns text as $$
    select concat_ws(' | ', e[1], e[2], nullif(e[4], '')) from error_of(format('select pgtq.submit_job(''select 1'', remote => %L)', i_remote)) e;
$$ language sql;
select exists (select from pg_proc p join pg_language l on l.oid = p.prolang where proname = '_check_connection' and lanname = 'c') as is_c \gset
create foreign data wrapper plain;
create server there foreign data wrapper plain options (host 'x.invalid');
create server nobodys foreign data wrapper plain;
create user mapping for public server there options (user 'u', password '');
grant usage on foreign server there to :producer;

-- everybody
set role :producer;
select is(refused(''), '22023 | remote must have 1 to 4096 bytes | NULL means here.', 'empty');
select is(refused(repeat('x', 4097)), '22023 | remote must have 1 to 4096 bytes | NULL means here.', 'too long');
select is(refused('host=x'), '42501 | only a superuser may give a connection string as remote | Give the name of a foreign server, for which your role has a user mapping with a password.', 'a string');
select is(refused('postgresql://x/y'), refused('host=x'), 'a URI');
select is(refused('postgresql://u:secret@x/y?passfile=/etc/passwd'), refused('host=x'), 'a URI with a password');
select is(refused('dbname='), refused('host=x'), 'half a string');
select is(refused('none'), '42704 | foreign server "none" does not exist | remote is the name of a foreign server, or a connection string.', 'no such server');
select is(refused('There'), '42704 | foreign server "There" does not exist | remote is the name of a foreign server, or a connection string.', 'a name is a name');
select is(refused('nobodys'), '42501 | permission denied for foreign server "nobodys"', 'no usage');
reset role;
grant usage on foreign server nobodys to :producer;
set role :producer;
select is(refused('nobodys'), format('42704 | user mapping not found for "%s", server "nobodys" | CREATE USER MAPPING makes one.', :'producer'), 'no mapping');
select is((error_of($$select pgtq.schedule_cron('x', '@daily', 'select 1', job => true, job_options => '{"remote": "none"}')$$))[1:2], '{42704,"foreign server \"none\" does not exist"}', 'a schedule is looked at when it is made');
select is((error_of($$select pgtq.schedule_cron('x', '@daily', 'select 1', job => true, job_options => '{"remote": ["none"]}')$$))[1], '22023', 'one value');
select is((error_of($$insert into pgtq.request (op, job) select 'submit_job', jsonb_populate_record(null::pgtq.job,
    '{"jo_role": 10, "jo_remote": "host=x", "jo_action": "select 1", "jo_group": "g", "jo_priority": 0, "jo_attempts": 1, "jo_backoff": "1 s", "jo_on_crash": "fail",
      "jo_output_limit": 1, "jo_header": true, "jo_delimiter": "", "jo_quote": "", "jo_escape": "", "jo_null": "", "jo_strings": true}')$$))[1], '42501', 'a role that is given counts for nothing');
select is((error_of($$select pgtq._check_connection(10, 'host=x')$$))[1], '42501', 'nobody asks for another');

-- of the C build, which can send
\if :is_c
select is(refused('there'), '2F003 | password is required | The user mapping for server "there" must have a password, unless the role is a superuser.', 'an empty password is none');
reset role;
alter server there options (add passfile '/etc/passwd', add service 'x');
set role :producer;
select is(left(refused('there'), 5), '2F003', 'nor is a passfile, or a service');
reset role;
create user mapping for :producer server there options (user 'u', password_required 'false', sslcert 'x', sslkey 'x');
set role :producer;
select is(left(refused('there'), 5), '2F003', 'a wrapper that checks nothing excuses nobody');
alter user mapping for :producer server there options (add password 'secret');
select is(refused('there'), '', 'a password');
select is(refused('host=x'), '42501 | only a superuser may give a connection string as remote | Give the name of a foreign server, for which your role has a user mapping with a password.', 'a string, still');
reset role;
select is(refused('there'), '', 'a superuser needs none');
select is(refused('host=x dbname=y'), '', 'a superuser''s string');
select is(refused('postgresql://u@x/y?connect_timeout=5'), '', 'or URI');
select is(refused('host=x password=secret'), '22023 | a connection string for remote must not have a password | It could be read in pgtq.jobs. Use a foreign server and a user mapping, or a passfile.', 'a password in it');
select is(refused('postgresql://u:secret@x/y'), refused('host=x password=secret'), 'in a URI');
select is(refused('postgresql://u@x/y?sslpassword=secret'), replace(refused('host=x password=secret'), 'have a password', 'have a sslpassword'), 'of a key');
select is(left(refused('host'), 5), '42704', 'no string');
select is(refused('host=x nonsense=1'), '22023 | invalid connection string: invalid connection option "nonsense"', 'an option that there is not');
select is((select count(*) from pgtq.jobs where remote is not null), 4::bigint, 'what was not refused');
select is((select count(*) from pgtq.jobs where remote like '%secret%' or jobs::text like '%secret%'), 0::bigint, 'nothing of it is a secret');
set role :producer;
select is((select array_agg(remote) from pgtq.jobs), '{there}', 'one''s own');
reset role;
select is((select (status, seen, hint)::text from pgtq.health() where name = 'remote jobs'), '(warn,"4 remote jobs wait: no worker runs here","They need the workers of the C build; run_jobs() does not run them.")', 'who waits, and for what');
\else
select is(refused('there'), '0A000 | a remote job needs the background workers of the C build | A job may use dblink or postgres_fdw in its SQL.', 'nothing is sent in the PL build');
reset role;
select is(refused('there'), '0A000 | a remote job needs the background workers of the C build | A job may use dblink or postgres_fdw in its SQL.', 'of a superuser');
select is(refused('host=x'), '0A000 | a remote job needs the background workers of the C build | A job may use dblink or postgres_fdw in its SQL.', 'nor to a string');
select pass('of the C build') from generate_series(1, 14);
\endif

delete from pgtq.job;
drop foreign data wrapper plain cascade;
drop function refused(text);
select * from finish();
\ir ../roles/teardown.psql
