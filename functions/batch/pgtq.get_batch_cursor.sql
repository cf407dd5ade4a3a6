create or replace function pgtq.get_batch_cursor(
    in i_batch_id bigint,
    in i_cursor_name text,
    in i_quick_limit integer,
    in i_extra_where text,
    out ev_id bigint,
    out ev_time timestamptz,
    out ev_txid bigint,
    out ev_retry integer,
    out ev_type text,
    out ev_data text,
    out ev_extra1 text,
    out ev_extra2 text,
    out ev_extra3 text,
    out ev_extra4 text)
returns setof record
as $$
-- Declares a cursor over the events of a batch, and returns the first ones.
--
-- Parameters: i_quick_limit is how many to return at once, the rest is for FETCH;
-- i_extra_where is a condition in SQL.  It is the caller's own SQL, so this function runs
-- with the caller's rights and search_path, and must never be SECURITY DEFINER.
declare
    _cursor text := pg_catalog.quote_ident(i_cursor_name);
    _sql    text;
begin
    if i_batch_id is null or i_cursor_name is null or i_quick_limit is null then
        return;
    end if;
    _sql := pgtq.batch_event_sql(i_batch_id);
    if i_extra_where is not null then
        _sql := pg_catalog.format('select * from (%s) _ev where %s order by 1', _sql, i_extra_where);
    end if;
    execute pg_catalog.format('declare %s no scroll cursor for %s', _cursor, _sql);
    if i_quick_limit > 0 then
        return query execute pg_catalog.format('fetch %s from %s', i_quick_limit, _cursor);
    end if;
end;
$$ language plpgsql;

comment on function pgtq.get_batch_cursor(bigint, text, integer, text) is 'Declare a cursor over the events of a batch that meet a condition';

create or replace function pgtq.get_batch_cursor(
    in i_batch_id bigint,
    in i_cursor_name text,
    in i_quick_limit integer,
    out ev_id bigint,
    out ev_time timestamptz,
    out ev_txid bigint,
    out ev_retry integer,
    out ev_type text,
    out ev_data text,
    out ev_extra1 text,
    out ev_extra2 text,
    out ev_extra3 text,
    out ev_extra4 text)
returns setof record
as $$
-- Declares a cursor over the events of a batch, and returns the first ones.
begin
    return query select * from pgtq.get_batch_cursor(i_batch_id, i_cursor_name, i_quick_limit, null);
end;
$$ language plpgsql strict;

comment on function pgtq.get_batch_cursor(bigint, text, integer) is 'Declare a cursor over the events of a batch';
