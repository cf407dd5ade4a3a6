-- structure/request.sql: how a function learns who calls it.
--
-- What is scheduled belongs to its caller, and nobody else may touch it.  A SECURITY DEFINER
-- function, which may write to our tables, does not know its caller; one that runs as the
-- caller may not write.  So a request is an INSERT into this view, which has two triggers: the
-- first runs as the caller and notes who that is, over whatever was given; the second is
-- SECURITY DEFINER and does it.  The view itself never has rows.
--
-- (The C bodies know their caller, and need this for rare things only.)
--
-- Each column of a view, and each function that is called, costs something with every request; so there
-- is a view of its own for what is asked for most: a timer without options.

create view pgtq.request as
    select null::text as op, null::oid as role, null::bigint as timer, null::boolean as done,
           null::text as queue, null::timestamptz as at, null::boolean as is_action,
           null::text as ev_type, null::text as ev_data, null::text as ev_extra1, null::text as ev_extra2,
           null::text as ev_extra3, null::text as ev_extra4,
           null::bigint as shard, null::integer as timeout, null::integer as attempts,
           null::interval as backoff, null::interval as expires_in,
           null::text as key, null::text as on_conflict, null::interval as max_delay,
           null::timestamptz[] as many_at, null::text[] as many_data, null::text[] as many_key,
           null::bigint[] as many_shard, null::bigint[] as many_timer,
           null::text as sqlstate, null::text as error,
           null::integer as sub, null::integer as count, null::bigint[] as many_event,
           null::text[] as many_sqlstate, null::text[] as many_error,
           null::integer[] as many_timeout,
           null::text as name, null::text as owner, null::pgtq.schedule as schedule,
           null::pgtq.job as job, null::text as output, null::boolean as output_cut
     where false;

comment on view pgtq.request is 'What functions insert into to act for their caller; not meant to be used directly';

create view pgtq.plain_request as
    select null::oid as role, null::bigint as timer, null::text as queue, null::timestamptz as at, null::text as action
     where false;

comment on view pgtq.plain_request is 'The same for timers without options';
