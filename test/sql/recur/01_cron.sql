-- Cron expressions: what they mean, which are refused and how, and days on which clocks are changed.
\ir ../common.psql
set timezone = 'UTC';
set datestyle = iso;
select plan(63);

create function runs(i_cron text, i_zone text, i_after text, i_n integer default 3) returns text as $$
    select string_agg(to_char(local_time, 'MM-DD HH24:MI:SS') || coalesce(' ' || shift, ''), ', ' order by at)
      from pgtq.preview(i_cron, i_zone, i_n, i_after::timestamptz);
$$ language sql;

-- syntax
select is(runs('*/20 * * * *', 'UTC', '2024-01-01 00:00', 4), '01-01 00:20:00, 01-01 00:40:00, 01-01 01:00:00, 01-01 01:20:00', 'steps');
select is(runs('5/25 1 * * *', 'UTC', '2024-01-01 00:00'), '01-01 01:05:00, 01-01 01:30:00, 01-01 01:55:00', 'a step from a number on');
select is(runs('0 9-17/4,23 * * *', 'UTC', '2024-01-01 00:00', 4), '01-01 09:00:00, 01-01 13:00:00, 01-01 17:00:00, 01-01 23:00:00', 'ranges and lists');
select is(runs('*/30 59 23 * * *', 'UTC', '2024-01-01'), '01-01 23:59:00, 01-01 23:59:30, 01-02 23:59:00', 'six fields: seconds first');
select is(runs('0 0 * JAN-mar Fri', 'UTC', '2024-03-20', 3), '03-22 00:00:00, 03-29 00:00:00, 01-03 00:00:00', 'names, in any case');
select is(runs('0 0 * * 7', 'UTC', '2024-01-01', 1), runs('0 0 * * sun', 'UTC', '2024-01-01', 1), '7 is Sunday too');
select is(runs('0 0 * * fri-sun', 'UTC', '2024-01-01', 4), '01-05 00:00:00, 01-06 00:00:00, 01-07 00:00:00, 01-12 00:00:00', 'and the end of a range');
select is(runs('0 0 13 * 5', 'UTC', '2024-01-01'), '01-05 00:00:00, 01-12 00:00:00, 01-13 00:00:00', 'both day fields: either will do');
select is(runs('0 0 */2 * 5', 'UTC', '2024-01-01'), '01-05 00:00:00, 01-19 00:00:00, 02-09 00:00:00', 'one that begins with *, as in cron: both');
select is(runs('0 0 ? * 5', 'UTC', '2024-01-01', 1), '01-05 00:00:00', '? is any day');
select is(runs('0 0 $ * *', 'UTC', '2024-01-01'), '01-31 00:00:00, 02-29 00:00:00, 03-31 00:00:00', '$ is the last day');
select is(runs('0 0 L 2 *', 'UTC', '2024-01-01', 2), '02-29 00:00:00, 02-28 00:00:00', 'L too');
select is(runs('0 0 L-2,1 2 *', 'UTC', '2024-01-01', 2), '02-01 00:00:00, 02-27 00:00:00', 'counted from the end');
select is(runs('0 0 15W 6,9,10 *', 'UTC', '2024-01-01'), '06-14 00:00:00, 09-16 00:00:00, 10-15 00:00:00', 'W: the nearest working day');
select is(runs('0 0 1W,31W * *', 'UTC', '2024-05-31', 3), '06-03 00:00:00, 07-01 00:00:00, 07-31 00:00:00', 'of that month, if it has the day');
select is(runs('0 0 LW 6,8 *', 'UTC', '2024-01-01', 2), '06-28 00:00:00, 08-30 00:00:00', 'LW: the last one');
select is(runs('0 0 * * fri#2', 'UTC', '2024-01-01', 2), '01-12 00:00:00, 02-09 00:00:00', '#: the second Friday');
select is(runs('0 0 * * 5L', 'UTC', '2024-01-01', 2), '01-26 00:00:00, 02-23 00:00:00', 'the last Friday');
select is(runs('0 0 29 2 *', 'UTC', '2096-03-01', 1), '02-29 00:00:00', 'eight years without a leap day');
select is((select at from pgtq.preview('0 0 * 2 mon#5', 'UTC', 1, '2072-03-01')), '2112-02-29 00:00'::timestamptz, 'forty years without a fifth Monday in February');
select is((select array_agg(runs(a, 'UTC', '2024-02-10 00:00:30', 1) = runs(b, 'UTC', '2024-02-10 00:00:30', 1))
             from (values ('@yearly', '0 0 1 1 *'), ('@annually', '0 0 1 1 *'), ('@monthly', '0 0 1 * *'), ('@weekly', '0 0 * * 0'),
                          ('@daily', '0 0 * * *'), ('@midnight', '0 0 * * *'), ('@Hourly ', '0 * * * *'), ('@minutely', '* * * * *')) v (a, b)),
          array[true, true, true, true, true, true, true, true], 'shorthands');
select is(runs('@every 90s', 'UTC', '2024-01-01'), '01-01 00:01:30, 01-01 00:03:00, 01-01 00:04:30', '@every');
select is(runs('@every 1h30m', 'UTC', '2024-01-01', 1), '01-01 01:30:00', 'of several units');
select is(runs('30 seconds', 'UTC', '2024-01-01', 2), '01-01 00:00:30, 01-01 00:01:00', 'pg_cron''s seconds');
select is(runs('@every 1 month', 'UTC', '2023-01-31'), '02-28 00:00:00, 03-31 00:00:00, 04-30 00:00:00', 'months do not drift');

-- clocks
select is(runs('30 2 * * *', 'Europe/Berlin', '2024-03-30 12:00'), '03-31 03:00:00 skipped, 04-01 02:30:00, 04-02 02:30:00', 'a time that is skipped: the first moment after');
select is(runs('*/20 2 * * *', 'Europe/Berlin', '2024-03-30 12:00', 2), '03-31 03:00:00 skipped, 04-01 02:00:00', 'once');
select is(runs('30 2 * * *', 'Europe/Berlin', '2024-10-26 12:00', 2), '10-27 02:30:00 repeated, 10-28 02:30:00', 'a time that comes twice: once');
select is((select at from pgtq.preview('30 2 * * *', 'Europe/Berlin', 1, '2024-10-26 12:00')), '2024-10-27 00:30:00'::timestamptz, 'the first time');
select is(runs('* 2 * * *', 'Europe/Berlin', '2024-10-27 01:10', 1), '10-28 02:00:00', 'and not in the second of two hours');
select is(runs('30 * * * *', 'Europe/Berlin', '2024-03-31 00:00', 2), '03-31 01:30:00, 03-31 03:30:00', 'every hour: each that there is');
select is(runs('30 * * * *', 'Europe/Berlin', '2024-10-27 00:00', 3), '10-27 02:30:00, 10-27 02:30:00, 10-27 03:30:00', 'so it is twice');
select is(runs('20 * 25 * 3', 'Asia/Tehran', '1994-09-21 18:50', 2), '09-21 23:20:00, 09-25 00:20:00', 'a day that ends twice');
select is((select array_agg(at::text) from pgtq.preview('0 * * * *', 'Australia/Lord_Howe', 3, '2024-04-06 13:00')),
          '{"2024-04-06 14:00:00+00","2024-04-06 15:30:00+00","2024-04-06 16:30:00+00"}', 'clocks that are changed by half an hour');
select is(runs('0 0 * * *', 'Pacific/Apia', '2011-12-29 12:00', 2), '12-31 00:00:00 skipped, 01-01 00:00:00', 'a day that was skipped and the next are one moment');
select is(runs('@every 1 day', 'Europe/Berlin', '2024-03-30 01:30', 2), '03-31 03:00:00 skipped, 04-01 02:30:00', 'days are those of the zone');
select is(runs('@every 24h', 'Europe/Berlin', '2024-03-30 01:30', 2), '03-31 03:30:00, 04-01 03:30:00', 'hours are hours');

-- what is refused, and where
create function refused(i_cron text) returns text as $$
    select e[1] || ': ' || e[2] || coalesce(' | ' || nullif(e[3], ''), '') from error_of(format('select * from pgtq.preview(%L)', i_cron)) e;
$$ language sql;
select is(refused('61 * * * *'), '22023: invalid minute field "61" in cron expression "61 * * * *" | 61 is not between 0 and 59.', 'a number too high');
select is(refused('0 1,2-30,5 * * *'), '22023: invalid hour field "1,2-30,5" in cron expression "0 1,2-30,5 * * *" | In "2-30": 30 is not between 0 and 23.', 'one of a list');
select is(refused('0 0 0 * *'), '22023: invalid day of the month field "0" in cron expression "0 0 0 * *" | 0 is not between 1 and 31.', 'too low');
select is(refused('0 0 * foo *'), '22023: invalid month field "foo" in cron expression "0 0 * foo *" | "foo" is no name here.', 'no name');
select is(refused('0 0 * * 8'), '22023: invalid day of the week field "8" in cron expression "0 0 * * 8" | 8 is not between 0 and 7.', 'no day');
select is(refused('70 0 0 * * *'), '22023: invalid second field "70" in cron expression "70 0 0 * * *" | 70 is not between 0 and 59.', 'a second');
select is(refused('*/0 * * * *'), '22023: invalid minute field "*/0" in cron expression "*/0 * * * *" | a step must be at least 1.', 'a step of nothing');
select is(refused('9-5 * * * *'), '22023: invalid minute field "9-5" in cron expression "9-5 * * * *" | the range 9-5 ends before it begins.', 'a range backwards');
select is(refused('1- * * * *'), '22023: invalid minute field "1-" in cron expression "1- * * * *" | it is neither a number, a name, a range, nor * (each also with /step).', 'half a range');
select is(refused('1, * * * *'), '22023: invalid minute field "1," in cron expression "1, * * * *" | In "": it is neither a number, a name, a range, nor * (each also with /step).', 'half a list');
select is(refused('? * * * *'), '22023: invalid minute field "?" in cron expression "? * * * *" | ? is for days only.', 'a question in the wrong place');
select is(refused('0 0 * * L'), '22023: invalid day of the week field "L" in cron expression "0 0 * * L" | L needs a day before it, as in 5L, the last Friday.', 'L alone');
select is(refused('0 0 * * 5#6'), '22023: invalid day of the week field "5#6" in cron expression "0 0 * * 5#6" | 6 is not between 1 and 5.', 'a sixth Friday');
select is(refused('0 0 32W * *'), '22023: invalid day of the month field "32W" in cron expression "0 0 32W * *" | 32 is not between 1 and 31.', 'a 32nd');
select is(refused('0 0 30 2 *'), '22023: invalid day of the month field "30" in cron expression "0 0 30 2 *" | There is no such day in its months.', 'never');
select is(refused('0 0 31 2,4,6,9,11 *'), '22023: invalid day of the month field "31" in cron expression "0 0 31 2,4,6,9,11 *" | There is no such day in its months.', 'nor there');
select matches(refused('* * *'), 'it has 3 fields \| Fields are: second', 'too few fields');
select matches(refused(''), 'it has 0 fields', 'none');
select matches(refused('@reboot'), 'it has 1 fields', 'no such shorthand');
select matches(refused('@every now'), '22023: invalid interval "now" in cron expression', 'no interval');
select matches(refused('@every -5s'), '22023: invalid interval between runs', 'a negative one');
select matches(refused('@every 1 day -1 hour'), '22023: invalid interval between runs', 'in part');
select is((error_of($$select * from pgtq.preview('@daily', 'Nowhere')$$))[1:2], '{22023,"time zone \"Nowhere\" does not exist"}', 'no zone');
select is((error_of($$select * from pgtq.preview('@daily', 'XYZ+1')$$))[1], '22023', 'no POSIX zones');
select is((error_of($$select * from pgtq.preview(repeat('1', 1001))$$))[1], '54000', 'too long');
select is((error_of($$select * from pgtq.preview(null)$$))[1], '22004', 'null');
select * from finish();
