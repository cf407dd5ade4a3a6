create or replace function pgtq.get_batch_events(
    in x_batch_id bigint,
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
-- The events of a batch, ordered by ev_id; see _batch() for the algorithm.
--@c
as 'MODULE_PATHNAME', 'pgtq_get_batch_events' language c
--@pl
as $$
begin
    return query execute pgtq.batch_event_sql(x_batch_id);
end;
$$ language plpgsql
--@end
security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.get_batch_events(bigint) is 'The events of a batch, ordered by id';
