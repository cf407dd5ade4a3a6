create or replace function pgtq.next_batch_info(
    in i_queue_name text,
    in i_consumer_name text,
    out batch_id bigint,
    out cur_tick_id bigint,
    out prev_tick_id bigint,
    out cur_tick_time timestamptz,
    out prev_tick_time timestamptz,
    out cur_tick_event_seq bigint,
    out prev_tick_event_seq bigint)
as $$
-- Opens the next batch of a consumer and tells between which ticks it lies; nulls if there
-- is nothing to read yet.
begin
    select f.* into batch_id, cur_tick_id, prev_tick_id, cur_tick_time, prev_tick_time,
                    cur_tick_event_seq, prev_tick_event_seq
      from pgtq.next_batch_custom(i_queue_name, i_consumer_name, null, null, null) f;
end;
$$ language plpgsql;

comment on function pgtq.next_batch_info(text, text) is 'Open the next batch of a consumer, with the ticks it lies between';
