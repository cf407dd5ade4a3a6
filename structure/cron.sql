-- structure/cron.sql: a cron expression, parsed.
--
-- Each field is a set of numbers: bit n is set if n is in it.  Days of the month are three
-- sets: by number (bit 1 is the first), from the end (bit 0 is the last, bit 3 the third before
-- it), and the working days nearest to a day (bit 0: the last one of the month).  So are days of
-- the week: bit 0 is Sunday; in nth bit 7 * n + day is the n-th such day of the month, n = 0 the
-- last one.

create type pgtq.cron as (
    seconds     bigint,
    minutes     bigint,
    hours       bigint,
    days        bigint,
    from_end    bigint,
    workdays    bigint,
    months      bigint,
    weekdays    bigint,
    nth         bigint,
    is_either   boolean
);

comment on type pgtq.cron is 'A cron expression, parsed; see _parse_cron()';
comment on column pgtq.cron.is_either is 'a day that is in one of its two fields will do: neither begins with *';
