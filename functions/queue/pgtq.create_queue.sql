create or replace function pgtq.create_queue(i_queue_name text)
returns integer
as $$
-- Creates a queue with its tables and sequences, and makes its first tick.
--
-- Returns 1, or 0 if there is a queue of that name already.
-- Writes: pgtq.queue; creates what structure/queue.sql lists.
declare
    _id      integer;
    _prefix  text;
    _ntables integer;
begin
    if i_queue_name is null then
        raise exception 'Invalid NULL value'
            using errcode = 'null_value_not_allowed', hint = 'Give the queue a name.';
    end if;

    if exists (select from pgtq.queue where queue_name = i_queue_name) then
        return 0;
    end if;

    _id := nextval('pgtq.queue_queue_id_seq');
    _prefix := 'pgtq.event_' || _id;
    insert into pgtq.queue (queue_id, queue_name, queue_data_pfx, queue_event_seq, queue_tick_seq, queue_home)
        values (_id, i_queue_name, _prefix, _prefix || '_id_seq', _prefix || '_tick_seq', pgtq._home())
        on conflict (queue_name) do nothing
        returning queue_ntables into _ntables;
    if not found then
        return 0;           -- another session was faster
    end if;

    execute format('create sequence %s_id_seq', _prefix);
    execute format('create sequence %s_tick_seq', _prefix);
    execute format('create sequence %s_cur_seq minvalue 0 start 0', _prefix);
    execute format('comment on sequence %s_id_seq is %L', _prefix, format('Event ids of queue %s', i_queue_name));
    execute format('comment on sequence %s_tick_seq is %L', _prefix, format('Tick ids of queue %s', i_queue_name));
    execute format('comment on sequence %s_cur_seq is %L', _prefix, format('Number of the table that queue %s is written to', i_queue_name));
    perform setval((_prefix || '_cur_seq')::regclass, 0);

    execute format('create table %s () inherits (pgtq.event_template)', _prefix);
    execute format('comment on table %s is %L', _prefix, format('Events of queue %s', i_queue_name));
    for _n in 0 .. _ntables - 1 loop
        perform pgtq._create_ring_table(_id, _prefix, _prefix || '_id_seq', _n);
    end loop;
    perform pgtq.grant_perms(i_queue_name);

    perform pgtq._tick(_id, false);         -- the first; not ticker(), which would keep the mover out until we commit
    perform pgtq._queues_changed();
    return 1;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp;

comment on function pgtq.create_queue(text) is 'Create a queue; 1, or 0 if it exists';
