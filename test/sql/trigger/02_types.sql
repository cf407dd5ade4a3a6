-- Values of all kinds: what the type's output function writes, quoted as the format wants it.
begin;
select plan(61);
\ir ../common.psql
\ir took.psql
set local timezone = 'UTC';
create type pair as (a integer, b text, c numeric);
create type mood as enum ('sad', 'ok');
create domain positive as integer check (value > 0);
create domain yes_no as boolean;

-- one column of a type, one value: the data of the three events
create function written(i_type text, i_value text) returns text[] as $$
begin
    execute format('create table typed (v %s)', i_type);
    perform watch('typed');
    return array(select split_part(e, ' / ', 2) from unnest(took(format('insert into typed values (%L)', i_value))) e);
end;
$$ language plpgsql;
create function says(i_type text, i_value text, i_json text, i_url text, i_sql text) returns text as $$
declare
    _written text[] := written(i_type, i_value);
begin
    drop table typed;
    return is(_written, array[format('{"v":%s}', i_json), concat('v', i_url), format('(v) values (%s)', i_sql)],
              format('%s: %s', i_type, left(i_value, 40)));
end;
$$ language plpgsql;

select says('text', null, 'null', '', 'null');
select says('text', '', '""', '=', '''''');
select says('text', 'NULL', '"NULL"', '=NULL', '''NULL''');
select says('text', 'a b', '"a b"', '=a+b', '''a b''');
select says('text', 'a+b%&=', '"a+b%&="', '=a%2bb%25%26%3d', '''a+b%&=''');
select says('text', '-_.aZ09', '"-_.aZ09"', '=-_.aZ09', '''-_.aZ09''');
select says('text', '''"\', '"''\"\\"', '=%27%22%5c', 'E''''''"\\''');
select says('text', e'\b\f\n\r\t\x01\x1f\x7f', e'"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f"', '=%08%0c%0a%0d%09%01%1f%7f', e'''\b\f\n\r\t\x01\x1f\x7f''');
select says('text', 'ä€😀 é', '"ä€😀 é"', '=%c3%a4%e2%82%ac%f0%9f%98%80+%c3%a9', '''ä€😀 é''');
select says('text', '$1 %s \1 {}', '"$1 %s \\1 {}"', '=%241+%25s+%5c1+%7b%7d', 'E''$1 %s \\1 {}''');
select says('varchar(3)', 'abc', '"abc"', '=abc', '''abc''');
select says('char(5)', 'ab', '"ab   "', '=ab+++', '''ab   ''');
select says('"char"', 'c', '"c"', '=c', '''c''');
select says('name', 'n', '"n"', '=n', '''n''');

select says('boolean', 'true', 'true', '=t', '''t''');
select says('boolean', 'false', 'false', '=f', '''f''');
select says('smallint', '-32768', '-32768', '=-32768', '''-32768''');
select says('integer', '2147483647', '2147483647', '=2147483647', '''2147483647''');
select says('bigint', '-9223372036854775808', '-9223372036854775808', '=-9223372036854775808', '''-9223372036854775808''');
select says('oid', '4294967295', '"4294967295"', '=4294967295', '''4294967295''');
select says('numeric', '1.500', '"1.500"', '=1.500', '''1.500''');
select says('numeric(40,15)', '100100.6005', '"100100.600500000000000"', '=100100.600500000000000', '''100100.600500000000000''');
select says('numeric', 'NaN', '"NaN"', '=NaN', '''NaN''');
select says('float8', '1.5', '"1.5"', '=1.5', '''1.5''');
select says('float8', '-Infinity', '"-Infinity"', '=-Infinity', '''-Infinity''');
select says('float8', '1e300', '"1e+300"', '=1e%2b300', '''1e+300''');
select says('real', '0.1', '"0.1"', '=0.1', '''0.1''');
select says('money', '12.5', '"$12.50"', '=%2412.50', '''$12.50''');

select says('timestamptz', '2009-09-19 11:59:48.599+02', '"2009-09-19T09:59:48.599+00:00"', '=2009-09-19+09%3a59%3a48.599%2b00', '''2009-09-19 09:59:48.599+00''');
select says('timestamp', '2009-09-19 11:59:48', '"2009-09-19T11:59:48"', '=2009-09-19+11%3a59%3a48', '''2009-09-19 11:59:48''');
select says('timestamp', 'infinity', '"infinity"', '=infinity', '''infinity''');
select says('timestamptz', '-infinity', '"-infinity"', '=-infinity', '''-infinity''');
select says('date', '2009-09-19', '"2009-09-19"', '=2009-09-19', '''2009-09-19''');
select says('date', '0044-03-15 BC', '"0044-03-15 BC"', '=0044-03-15+BC', '''0044-03-15 BC''');
select says('date', 'infinity', '"infinity"', '=infinity', '''infinity''');
select says('time', '11:59:48.599', '"11:59:48.599"', '=11%3a59%3a48.599', '''11:59:48.599''');
select says('timetz', '11:59:48+02', '"11:59:48+02"', '=11%3a59%3a48%2b02', '''11:59:48+02''');
select says('interval', '1 day 02:00', '"1 day 02:00:00"', '=1+day+02%3a00%3a00', '''1 day 02:00:00''');

select says('bytea', '\x00ff01', '"\\x00ff01"', '=%5cx00ff01', 'E''\\x00ff01''');
select says('uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"', '=a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '''a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11''');
select says('inet', '10.0.0.1', '"10.0.0.1"', '=10.0.0.1', '''10.0.0.1''');
select says('bit(4)', '1010', '"1010"', '=1010', '''1010''');
select says('json', '{"a":  [1, null]}', '"{\"a\":  [1, null]}"', '=%7b%22a%22%3a++%5b1%2c+null%5d%7d', '''{"a":  [1, null]}''');
select says('jsonb', '{"b":1,"a":1.50}', '"{\"a\": 1.50, \"b\": 1}"', '=%7b%22a%22%3a+1.50%2c+%22b%22%3a+1%7d', '''{"a": 1.50, "b": 1}''');
select says('xml', '<a>1</a>', '"<a>1</a>"', '=%3ca%3e1%3c%2fa%3e', '''<a>1</a>''');
select says('point', '(1,2)', '"(1,2)"', '=%281%2c2%29', '''(1,2)''');
select says('tsvector', 'b a', '"''a'' ''b''"', '=%27a%27+%27b%27', '''''''a'''' ''''b''''''');
select says('int4range', '[1,5]', '"[1,6)"', '=%5b1%2c6%29', '''[1,6)''');
select says('int4multirange', '{[1,2],[4,5)}', '"{[1,3),[4,5)}"', '=%7b%5b1%2c3%29%2c%5b4%2c5%29%7d', '''{[1,3),[4,5)}''');
select says('integer[]', '{{1,2},{3,NULL}}', '"{{1,2},{3,NULL}}"', '=%7b%7b1%2c2%7d%2c%7b3%2cNULL%7d%7d', '''{{1,2},{3,NULL}}''');
select says('text[]', '{"a b","\"",NULL,""}', '"{\"a b\",\"\\\"\",NULL,\"\"}"', '=%7b%22a+b%22%2c%22%5c%22%22%2cNULL%2c%22%22%7d', 'E''{"a b","\\"",NULL,""}''');
select says('boolean[]', '{t,f}', '"{t,f}"', '=%7bt%2cf%7d', '''{t,f}''');
select says('pair', '(1,"x y",1.50)', '"(1,\"x y\",1.50)"', '=%281%2c%22x+y%22%2c1.50%29', '''(1,"x y",1.50)''');
select says('pair', '(,,)', '"(,,)"', '=%28%2c%2c%29', '''(,,)''');
select says('mood', 'ok', '"ok"', '=ok', '''ok''');
select says('positive', '5', '"5"', '=5', '''5''');
select says('yes_no', 'true', '"t"', '=t', '''t''');
select says('regtype', 'int', '"integer"', '=integer', '''integer''');

-- settings of the session
set local datestyle = 'German';
set local bytea_output = 'escape';
set local extra_float_digits = -3;
set local timezone = 'Asia/Kolkata';
create table styled (d date, t timestamptz, b bytea, f float8);
select watch('styled');
select is(took($$insert into styled values ('2020-02-01', '2020-02-01 00:00+00', '\x0041', 1::float8 / 3)$$), array[
    '{"op":"INSERT","table":["public","styled"],"pkey":[]} / {"d":"2020-02-01","t":"2020-02-01T05:30:00+05:30","b":"\\000A","f":"0.333333333333"}',
    'I: / d=01.02.2020&t=01.02.2020+05%3a30%3a00+IST&b=%5c000A&f=0.333333333333',
    'I / (d,t,b,f) values (''01.02.2020'',''01.02.2020 05:30:00 IST'',E''\\000A'',''0.333333333333'')'], 'settings are heeded, but for dates in JSON');

-- values out of line, compressed and not, and unchanged in an UPDATE
create table long (id integer primary key, a text, b text, c integer);
alter table long alter a set storage external;
insert into long values (1, repeat('äb ', 5000), repeat('y', 100000), 1);
select watch('long', 'backup');
create temp table told as select * from unnest(took($$update long set c = 2$$)) e;
select set_eq('select e from told', array[
    '{"op":"UPDATE","table":["public","long"],"pkey":["id"]} / {"id":1,"a":"' || repeat('äb ', 5000) || '","b":"' || repeat('y', 100000) || '","c":2}',
    'U:id / id=1&a=' || repeat('%c3%a4b+', 5000) || '&b=' || repeat('y', 100000) || '&c=2',
    'U / c=''2'' where id=''1'''], 'long values');
select is((took_extra($$update long set a = 'x'$$))[1], 'public.long / {"id":1,"a":"' || repeat('äb ', 5000) || '","b":"' || repeat('y', 100000) || '","c":2} / <null> / <null>',
          'long values in a backup');

select * from finish();
rollback;
