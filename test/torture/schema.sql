-- test/torture/schema.sql: what the actions write to, and what the model asks.

create role alice login in role pgtq_writer;
create role bob login in role pgtq_writer;
create schema app;
grant usage on schema app to public;

-- one row for each transaction of a client: who does not know whether it has committed tries to
-- insert the same one
create table app.tx (id text primary key);

-- one row for each action that was run, written by itself
create table app.effect (
    timer   bigint,
    tag     text,
    who     text        default session_user,
    child   bigint,
    began   timestamptz default now(),
    at      timestamptz default clock_timestamp()
);

-- one row for each event that a consumer has read and finished, or wants to see again
create table app.seen (consumer text, batch bigint, ev_id bigint, data text);
create table app.retried (consumer text, data text);

-- what actions get into each other's way with: each adds 1 to two rows, in any order
create table app.counter (id integer primary key, n bigint default 0) with (fillfactor = 50);
insert into app.counter select generate_series(1, 4);

grant select, insert, update on all tables in schema app to public;

create function app.act(tag text, child bigint default null) returns void
begin atomic
    insert into app.effect (timer, tag, child) values (pgtq.current_timer(), tag, child);
end;

create function app.spawn(tag text, delay interval) returns void
begin atomic
    select app.act(tag, pgtq.schedule_in(delay, format('select app.act(%L)', tag || ' child')));
end;

create function app.count(tag text, a integer, b integer) returns void language plpgsql as $$
begin
    update app.counter set n = n + 1 where id = a;
    perform pg_sleep(0.002);
    update app.counter set n = n + 1 where id = b;
    perform app.act(tag);
end $$;

create function app.fail_sometimes(tag text) returns void language plpgsql as $$
begin
    perform app.act(tag);
    if random() < 0.5 then
        raise 'not this time';
    end if;
end $$;

-- one row for each run of a schedule, written by itself: which one it was, and what time it was planned for.
-- What that was is told by the event, or the job.
create table app.run (
    timer   bigint,
    tag     text,
    epoch   integer,
    n       bigint,
    planned timestamptz,
    taken   timestamptz,
    who     text        default session_user,
    began   timestamptz default now(),
    at      timestamptz default clock_timestamp()
);

create function app.run(tag text) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    _timer  constant bigint := pgtq.current_timer();
    _source text;
    _run    pgtq.run;
    _found  integer := 0;
begin
    foreach _source in array array[
        (select queue_data_pfx from pgtq.queue where queue_name = 'timers') || ' where ev_timer = $1',
        'pgtq.carried where ev_timer = $1', '(select jo_run as ev_run from pgtq.job where jo_id = $1) j']
    loop
        execute format('select (ev_run).* from %s limit 1', _source) into _run using _timer;
        get diagnostics _found = row_count;
        exit when _found > 0;
    end loop;
    insert into app.run (timer, tag, epoch, n, planned, taken)
        values (_timer, tag, case when _found = 0 then -1 else _run.epoch end, _run.n, _run.planned, _run.began);
end $$;

create function app.perhaps() returns void language plpgsql as $$
begin
    if random() < 0.5 then
        raise 'not this time';
    end if;
end $$;

-- one row for each step of each attempt of a job
create table app.step (
    job     bigint,
    tag     text,
    step    integer,
    who     text        default session_user,
    began   timestamptz default now(),
    at      timestamptz default clock_timestamp()
);
grant insert on app.step to public;

create function app.step(tag text, step integer) returns void
begin atomic
    insert into app.step (job, tag, step) values (pgtq.current_timer(), tag, step);
end;

create procedure app.steps(tag text, pause float8) language plpgsql as $$
begin
    perform app.step(tag, 1);
    commit;
    perform pg_sleep(pause);
    perform app.step(tag, 2);
end $$;
