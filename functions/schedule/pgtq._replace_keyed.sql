create or replace function pgtq._replace_keyed(
    in i_row pgtq.delay, in i_on_conflict text, in i_max_delay interval,
    out is_there boolean, out timer bigint)
as $$
-- If a timer with the key of i_row is pending in its queue, does with it what i_on_conflict
-- says.  Returns whether there was one, and its id if it was changed.
--
-- No unique index spans the tables of the store.  Instead whoever comes with a key locks the
-- row of its hash, and looks then, in a new statement.
declare
    _id     bigint;
    _role   oid;
    _old    pgtq.delay;
begin
    perform from pgtq.key_lock where kl_hash = hashtext(i_row.dl_queue || ':' || i_row.ev_key) & 1023 for update;
    loop
        select k.ev_timer, k.ev_role into _id, _role from pgtq._keyed_timer(i_row.dl_queue, i_row.ev_key) k;
        is_there := _id is not null;
        if not is_there or i_on_conflict = 'keep' then
            return;
        end if;
        perform pgtq._check_owner(i_row.ev_role, _role, _id);
        _old := pgtq._take_timer(_id);
        exit when _old.ev_timer is not null;        -- else it has just left the store
    end loop;

    i_row.ev_timer := _id;
    i_row.ev_created := _old.ev_created;
    i_row.ev_expires := i_row.ev_expires - i_row.dl_due + case i_on_conflict
        when 'update' then _old.dl_due else least(i_row.dl_due, _old.ev_created + i_max_delay) end;
    i_row.dl_due := case i_on_conflict
        when 'update' then _old.dl_due else least(i_row.dl_due, _old.ev_created + i_max_delay) end;
    perform pgtq._store(i_row);
    timer := _id;
end;
$$ language plpgsql set search_path = pg_catalog, pg_temp;

comment on function pgtq._replace_keyed(pgtq.delay, text, interval) is 'Internal: change the pending timer of a key';
