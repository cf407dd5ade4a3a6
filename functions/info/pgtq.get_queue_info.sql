create or replace function pgtq.get_queue_info(
    in i_queue_name text,
    out queue_name text,
    out queue_ntables integer,
    out queue_cur_table integer,
    out queue_rotation_period interval,
    out queue_switch_time timestamptz,
    out queue_external_ticker boolean,
    out queue_ticker_paused boolean,
    out queue_ticker_max_count integer,
    out queue_ticker_max_lag interval,
    out queue_ticker_idle_period interval,
    out ticker_lag interval,
    out ev_per_sec float8,
    out ev_new bigint,
    out last_tick_id bigint)
returns setof record
as $$
-- Settings and state of a queue, or of all if i_queue_name is null.
--
-- ev_per_sec is an estimate over the last 20 ticks, ev_new how many event ids were given out
-- since the last one.
begin
    return query
        select q.queue_name, q.queue_ntables,
               pg_sequence_last_value(pgtq.quote_fqname(q.queue_data_pfx || '_cur_seq')::regclass)::integer,
               q.queue_rotation_period, q.queue_switch_time,
               q.queue_external_ticker, q.queue_ticker_paused, q.queue_ticker_max_count,
               q.queue_ticker_max_lag, q.queue_ticker_idle_period,
               clock_timestamp() - t.tick_time,
               case when h.tick_time < t.tick_time
                    then (t.tick_event_seq - h.tick_event_seq) / extract(epoch from t.tick_time - h.tick_time)::float8
               end,
               pgtq._event_seq(q.queue_event_seq) - t.tick_event_seq,
               t.tick_id
          from pgtq.queue q
          left join lateral pgtq._ticks(q.queue_id, null, true, 1) t on true
          left join lateral pgtq._ticks(q.queue_id, t.tick_id - 20, false, 1) h on true
         where i_queue_name is null or q.queue_name = i_queue_name
         order by q.queue_name;
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.get_queue_info(text) is 'Settings and state of a queue';

create or replace function pgtq.get_queue_info(
    out queue_name text,
    out queue_ntables integer,
    out queue_cur_table integer,
    out queue_rotation_period interval,
    out queue_switch_time timestamptz,
    out queue_external_ticker boolean,
    out queue_ticker_paused boolean,
    out queue_ticker_max_count integer,
    out queue_ticker_max_lag interval,
    out queue_ticker_idle_period interval,
    out ticker_lag interval,
    out ev_per_sec float8,
    out ev_new bigint,
    out last_tick_id bigint)
returns setof record
as $$
-- Settings and state of all queues.
begin
    return query select * from pgtq.get_queue_info(null);
end;
$$ language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off;

comment on function pgtq.get_queue_info() is 'Settings and state of all queues';
